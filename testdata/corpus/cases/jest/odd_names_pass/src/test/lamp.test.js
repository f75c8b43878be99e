const { lamp } = require('../src/lamp');

describe('lamp', () => {
  it('is › lit :: [on] ● é', () => {
    expect(lamp(true)).toBe('lit');
  });
  it.skip('later', () => {});
});
