import { expect, test } from 'vitest';

test('is fine', () => {
  expect(2).toBe(2);
});
