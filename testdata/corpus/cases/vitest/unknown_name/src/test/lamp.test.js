import { describe, expect, it } from 'vitest';
import { lamp } from '../src/lamp.js';

describe('lamp', () => {
  it('is lit', () => {
    expect(lamp(true)).toBe('lit');
  });
});
