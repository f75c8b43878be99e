const assert = require('node:assert');

describe('other', () => {
  it('is fine', () => {
    assert.ok(true);
  });
});
