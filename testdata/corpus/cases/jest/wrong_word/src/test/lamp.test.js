const { lamp } = require('../src/lamp');

describe('lamp', () => {
  it('is lit', () => {
    expect(lamp(true)).toBe('bright');
  });
  it('is dark', () => {
    expect(lamp(false)).toBe('dark');
  });
});
