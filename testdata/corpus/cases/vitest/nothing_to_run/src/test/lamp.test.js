import { describe, expect, it } from 'vitest';
import { lamp } from '../src/lamp.js';

describe('lamp', () => {
  it.skip('is lit', () => {
    expect(lamp(true)).toBe('lit');
  });
});
