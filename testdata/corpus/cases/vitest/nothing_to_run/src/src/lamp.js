export function lamp(on) {
  return on ? 'lit' : 'dark';
}
