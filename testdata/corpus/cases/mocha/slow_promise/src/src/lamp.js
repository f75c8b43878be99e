function lamp(on) {
  return on ? 'lit' : 'dark';
}

module.exports = { lamp };
