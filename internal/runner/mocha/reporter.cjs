'use strict';
// mocha asks for its reporter when every --require is through and before any
// test file loads.
const key = Symbol.for('regreen.mocha');
if (!process[key]) require('./regreen-mocha-helper.cjs');
process[key].state.reporter = true;
process.argv.splice(2); // what a test parses must not be our options
module.exports = process[key].Reporter;
