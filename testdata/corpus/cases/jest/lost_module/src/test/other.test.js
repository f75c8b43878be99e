test('is fine', () => {
  expect(2).toBe(2);
});
