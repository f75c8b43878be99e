'use strict';
// regreen's reporter for jest: one JSON object a line, as the run goes.
// Plain CommonJS without dependencies, for every Node that jest supports.
const { openSync, writeSync } = require('fs');

const LIMIT = 64 * 1024;

// text writes a value as typed text: JSON, with the words that JSON has not.
// '' means that it cannot be told.
function text(value) {
  if (value === undefined) return 'undefined';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'symbol' || typeof value === 'function') return '';
  try {
    const out = JSON.stringify(value, (_key, v) => (typeof v === 'bigint' ? `${v}n` : v));
    return out === undefined || out.length > LIMIT ? '' : out;
  } catch {
    return '';
  }
}

function own(object, key) {
  return object !== null && typeof object === 'object' && key in object;
}

// errorOf joins what jest says of one error: the text with its stack and,
// where an assertion library gave some, its structure.
function errorOf(stack, detail) {
  const e = { stack: String(stack || '') };
  const attr = {};
  const result = own(detail, 'matcherResult') ? detail.matcherResult : null;
  if (own(result, 'pass')) {
    attr.matcher = typeof result.name === 'string' && result.name ? result.name : 'expect';
    // A snapshot that is not there yet expects nothing.
    if (own(result, 'expected') && !(result.expected === undefined && /Snapshot$/.test(attr.matcher))) e.expected = text(result.expected);
    if (own(result, 'actual')) e.actual = text(result.actual);
    if (result.pass) attr.negated = 'true';
  } else if (own(detail, 'code') || own(detail, 'operator') || own(detail, 'expected')) {
    if (typeof detail.code === 'string') e.code = detail.code;
    if (typeof detail.operator === 'string') e.operator = detail.operator;
    if (own(detail, 'expected')) e.expected = text(detail.expected);
    if (own(detail, 'actual')) e.actual = text(detail.actual);
  }
  const cause = own(detail, 'cause') && own(detail.cause, 'stack') ? detail.cause : null;
  if (cause) e.cause = { stack: String(cause.stack) };
  if (Object.keys(attr).length > 0) e.attr = attr;
  return e;
}

const VERDICTS = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', disabled: 'skipped', todo: 'todo' };

class Reporter {
  constructor() {
    const { REGREEN_REPORT, REGREEN_NONCE } = process.env;
    // Tests have no business with it.
    delete process.env.REGREEN_NONCE;
    this.nonce = REGREEN_NONCE;
    this.fd = openSync(REGREEN_REPORT, 'a');
    let version = '';
    try {
      version = require(require.resolve('jest/package.json', { paths: [process.argv[1]] })).version;
    } catch {
      // told by the project's detection
    }
    process.argv.splice(2); // what a test that runs in this process parses must not be our options
    this.put({ t: 'start', nonce: this.nonce, version });
  }

  put(record) {
    writeSync(this.fd, `${JSON.stringify(record)}\n`);
  }

  onTestFileStart(test) {
    const at = globalThis[Symbol.for('regreen.test')];
    if (at) at(test.path); // where it runs in this process
    this.put({ t: 'begin', file: test.path });
  }

  onTestCaseStart(test, info) {
    this.put({ t: 'begin', file: test.path, path: [...(info.ancestorTitles || []), info.title] });
  }

  onTestCaseResult(test, result) {
    this.put({ t: 'done', file: test.path, path: [...result.ancestorTitles, result.title], verdict: VERDICTS[result.status] });
  }

  onTestFileResult(test, result) {
    for (const r of result.testResults || []) {
      const verdict = VERDICTS[r.status];
      if (!verdict) continue; // another spelling of "not part of this run"
      const record = { t: 'test', file: test.path, path: [...r.ancestorTitles, r.title], verdict, ms: r.duration || 0, asserts: r.numPassingAsserts || 0 };
      if (r.location) {
        record.line = r.location.line;
        record.column = r.location.column;
      }
      if (verdict === 'failed') {
        const details = r.failureDetails || [];
        record.errors = (r.failureMessages || []).map((m, i) => errorOf(m, details[i]));
      }
      this.put(record);
    }
    const exec = result.testExecError;
    const snapshot = result.snapshot || {};
    const data = { tests: (result.testResults || []).length, written: snapshot.added || 0, updated: snapshot.updated || 0, skipped: Boolean(result.skipped) };
    const record = { t: 'file', file: test.path, data };
    if (exec) {
      const e = { message: String(exec.message || ''), stack: String(exec.stack || '') };
      if (typeof exec === 'string') e.message = exec;
      if (typeof exec.code === 'string') e.code = exec.code;
      if (!e.message && !e.stack) e.message = String(result.failureMessage || '');
      record.errors = [e];
    } else if (result.failureMessage && data.tests === 0) {
      record.errors = [{ message: String(result.failureMessage) }];
    }
    this.put(record);
  }

  onRunComplete(_contexts, results) {
    const exec = results.runExecError;
    if (exec) {
      this.put({ t: 'run', errors: [{ message: String(exec.message || exec), stack: String(exec.stack || ''), code: exec.code ? String(exec.code) : undefined }] });
    }
    this.put({
      t: 'end',
      nonce: this.nonce,
      data: {
        passed: results.numPassedTests,
        failed: results.numFailedTests,
        pending: results.numPendingTests,
        todo: results.numTodoTests,
        unloaded: results.numRuntimeErrorTestSuites,
        files: results.numTotalTestSuites,
        interrupted: Boolean(results.wasInterrupted),
      },
    });
  }
}

module.exports = Reporter;
