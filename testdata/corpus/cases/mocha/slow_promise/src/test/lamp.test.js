const assert = require('node:assert');
const { lamp } = require('../src/lamp');

describe('lamp', () => {
  it('comes on', function () {
    this.timeout(50);
    return new Promise(() => {});
  });
  it('is dark', () => {
    assert.equal(lamp(false), 'dark');
  });
});
