'use strict';
// Loaded by every process of the run before anything else. It notes what
// jest's reporters cannot see: that an error was a rejection nobody handled,
// and where process.exit was called. It changes nothing.
const report = process.env.REGREEN_REPORT;
if (report && /jest/.test(process.argv[1] || '')) {
  const { openSync, writeSync, closeSync } = require('fs');
  const put = (data) => {
    try {
      const fd = openSync(report, 'a');
      writeSync(fd, `${JSON.stringify({ t: 'note', data })}\n`);
      closeSync(fd);
    } catch {
      // the run says enough without it
    }
  };
  const { emit, exit } = process;
  process.emit = function (event, reason, ...rest) {
    if (event === 'unhandledRejection') {
      let stack = '';
      try {
        stack = String((reason && reason.stack) || reason);
      } catch {
        // an object that cannot be printed
      }
      put({ what: 'rejection', stack });
    }
    return emit.call(this, event, reason, ...rest);
  };
  process.exit = function (code) {
    put({ what: 'exit', stack: String(new Error(`process.exit called with "${code}"`).stack) });
    return exit.call(process, code);
  };
}
