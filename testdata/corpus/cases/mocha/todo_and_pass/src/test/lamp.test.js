const assert = require('node:assert');
const { lamp } = require('../src/lamp');

describe('lamp', () => {
  it('is lit', () => {
    assert.equal(lamp(true), 'lit');
  });
  it('is pending');
});
