export function lamp(on) {
  const words = ['lit', 'dark';
  return words[on ? 0 : 1];
}
