const assert = require('node:assert');
const { lamp } = require('../src/lamp');

describe('lamp', () => {
  it('is lit', () => {
    assert.deepEqual({ is: lamp(true) }, { is: 'on' });
  });
});
