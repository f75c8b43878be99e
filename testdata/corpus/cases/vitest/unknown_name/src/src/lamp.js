export function lamp(on) {
  return onn ? 'lit' : 'dark';
}
