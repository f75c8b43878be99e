"""regreen's pytest plugin: tells the run as JSON lines, as it goes.

It is loaded with -p. Only the process that was started by regreen writes: a
worker of pytest-xdist hands what it knows to the controller on its reports,
and a forked child or a pytest inside a test stays silent. Python 3.7 and later,
pytest 7 and later.
"""
import faulthandler
import inspect
import json
import os
import re
import signal
import sys
import threading

import pytest
from _pytest.config import findpaths

import regreen_errors as errors
import regreen_executed as executed
import regreen_opened as opened

try:
    import posix as _os  # the real thing, also where a test has put a fake os in place
except ImportError:
    import nt as _os

THREAD_WARNINGS = ("PytestUnhandledThreadExceptionWarning", "PytestUnraisableExceptionWarning")


class Channel:
    """The report file. Every record is one line in one write."""

    def __init__(self, environ):
        path, self.nonce = environ.pop("REGREEN_REPORT", ""), environ.pop("REGREEN_NONCE", "")
        self.pid, self.fd, self.inode, self.closed = os.getpid(), -1, None, False
        if path and self.nonce:
            self.fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            at = _os.fstat(self.fd)
            self.inode = (at.st_dev, at.st_ino)

    def open(self):
        return self.fd >= 0 and not self.closed and _os.getpid() == self.pid

    def write(self, kind, **fields):
        if not self.open():
            return
        record = {"t": kind}
        record.update((k, v) for k, v in fields.items() if v not in (None, "", [], {}, False))
        data = (json.dumps(record) + "\n").encode("ascii")
        try:
            at = _os.fstat(self.fd)
            if (at.st_dev, at.st_ino) != self.inode:
                return  # a test closed our descriptor, and something else has its number now
            while data:
                data = data[_os.write(self.fd, data):]
        except OSError:
            pass  # the report lacks its end then, which makes the run red

    def end(self, status=None, **data):
        if status is not None:
            data["exit"] = int(status)
        self.write("end", nonce=self.nonce, data=data)
        self.closed = True


class State:
    """What the run is at."""

    def __init__(self):
        self.worker = False  # of pytest-xdist
        self.identity = {}  # node id to {"file", "path", "line"}
        self.reports = {}  # node id to the reports of the test in progress
        self.compares = []  # failed comparisons of the test in progress
        self.exit = None  # unknown: the session did not begin
        self.root = ""
        self.unescape = True
        self.collect_errors = 0
        self.warnings = 0
        self.told = set()
        self.select = None


channel = Channel(os.environ)
state = State()


# --- the process -----------------------------------------------------------


def _watch_exit():
    """A test that calls os._exit leaves no trace but this."""
    real = os._exit

    def _exit(status):
        try:
            here = sys._getframe(1)
            stack = errors.stack_of(here)
            if threading.current_thread() is not threading.main_thread():
                main = sys._current_frames().get(threading.main_thread().ident)
                caller, stack = stack, errors.stack_of(main)
            else:
                caller = stack
            if any("pytest_timeout" in f["file"] for f in caller):
                error = {"name": "Timeout", "message": "pytest-timeout ended the process", "frames": stack}
            else:
                error = {"name": "os._exit", "message": "os._exit(%r) ended the process" % (status,), "frames": stack}
            channel.write("run", data={"exit": True}, errors=[error])
        except Exception:
            pass
        real(status)

    os._exit = _exit


def _watch_hang():
    """Lets regreen ask where a hung process stands, with a signal."""
    path = os.environ.get("REGREEN_DUMP", "")
    if not path or not hasattr(faulthandler, "register"):
        return None
    out = open("%s.%d" % (path, os.getpid()), "w")
    faulthandler.register(signal.SIGUSR2, file=out, all_threads=True)
    return out


if channel.open():
    channel.write("start", nonce=channel.nonce, version=pytest.__version__)
    _watch_exit()
_dump = _watch_hang()


def _select():
    if state.select is None:
        state.select = {}
        path = os.environ.get("REGREEN_SELECT", "")
        if path:
            with open(path, encoding="utf-8") as f:
                state.select = json.load(f)
    return state.select


# --- identity --------------------------------------------------------------


def _printable(m):
    char = chr(int(m.group(2)[2:], 16))
    return m.group(1) + (char if ord(char) > 0x9F and char.isprintable() else m.group(2))


def _unescape(name):
    """pytest writes ids of parameters in ASCII; people do not."""
    at = name.find("[")
    if at < 0 or not state.unescape or not name[at:].isascii():
        return name
    escape = r"(?<!\\)((?:\\\\)*)(\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})"
    return name[:at] + re.sub(escape, _printable, name[at:])


def _split(nodeid):
    """The identity in a node id, where no item is at hand."""
    file, _, rest = nodeid.partition("::")
    names, bracket, params = rest.partition("[")
    path = names.split("::") if rest else []
    if path:
        path[-1] = _unescape(path[-1] + bracket + params)
    return {"file": os.path.join(state.root, file), "path": path}


def _identify(node):
    """The identity of an item or a collector."""
    chain = node.listchain()
    last = max([i for i, n in enumerate(chain) if isinstance(n, (pytest.File, pytest.Session))] or [0])
    path = [n.name for n in chain[last + 1:]]
    if path:
        path[-1] = _unescape(path[-1])
    out = {"file": str(getattr(node, "path", None) or node.fspath), "path": path}
    line = getattr(node, "location", None) if isinstance(node, pytest.Item) else None
    if line and line[1] is not None:
        out["line"] = errors.def_line(getattr(node, "obj", None))[1] or line[1] + 1
    return out


def _known(nodeid):
    if nodeid not in state.identity:
        state.identity[nodeid] = _split(nodeid)
    return state.identity[nodeid]


# --- start -----------------------------------------------------------------


def _look(config):
    """Looks for the ini file as pytest does when it is not told which.

    On that way pytest 9 parses files beside the one that it takes, and refuses to
    start where one does not parse. We name the file, so nobody would notice.
    """
    look = getattr(findpaths, "locate_config", None)
    if not os.environ.get("REGREEN_LOOK") or look is None:
        return
    start = config.invocation_params.dir
    takes = len(inspect.signature(look).parameters)
    if takes <= 2:
        look(*[start, [start]][2 - takes:])



@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config):
    state.root = str(getattr(early_config, "rootpath", "") or early_config.rootdir)
    try:
        _look(early_config)
    except Exception as e:
        channel.write("run", errors=[errors.describe(e)])
        channel.end()
        raise
    names = early_config.known_args_namespace
    if getattr(names, "cov_source", None):
        names.no_cov = True  # coverage would only cost time
    del sys.argv[1:]  # what a test parses must not be our options
    outcome = yield
    if outcome.excinfo is not None:
        channel.write("run", errors=[errors.describe(outcome.excinfo[1])])
        channel.end()  # pytest ends without any further hook


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Options that would leave tests out, or wait for a person, are for the command line of a person."""
    off = {"lf": False, "failedfirst": False, "newfirst": False, "stepwise": False, "stepwise_skip": False,
           "maxfail": 0, "usepdb": False, "trace": False, "looponfail": False}
    if getattr(config.option, "cov_source", None):
        off["no_cov"] = True
    if _select().get("update_snapshots"):
        off["update_snapshots"] = True
    for name, value in off.items():
        if getattr(config.option, name, value) != value:
            setattr(config.option, name, value)
    state.root, state.worker = str(config.rootpath), hasattr(config, "workerinput")
    if executed.on and (channel.open() or state.worker):
        config.pluginmanager.register(executed.plugin())
    try:
        raw = "disable_test_id_escaping_and_forfeit_all_rights_to_community_support"
        state.unescape = not config.getini(raw)
    except (KeyError, ValueError):
        pass


# --- collection ------------------------------------------------------------


def pytest_collectstart(collector):
    if isinstance(collector, pytest.File) and not isinstance(collector, pytest.Package):
        channel.write("begin", file=str(getattr(collector, "path", None) or collector.fspath))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_make_collect_report(collector):
    if isinstance(collector, pytest.File) and not isinstance(collector, pytest.Package):
        opened.test(str(getattr(collector, "path", None) or collector.fspath))
    outcome = yield
    opened.test("")
    if outcome.excinfo is not None:
        return
    report = outcome.get_result()
    if report.outcome == "passed":
        return
    told = _identify(collector)
    call = report.__dict__.get("call")
    if report.outcome == "failed" and call is not None and call.excinfo is not None:
        told["errors"] = [errors.describe(call.excinfo.value, (), errors.safe(str, report.longrepr))]
    report.regreen = json.dumps(told)


def pytest_collectreport(report):
    if report.outcome == "passed":
        return
    told = json.loads(getattr(report, "regreen", "") or json.dumps(_split(report.nodeid)))
    key = report.outcome + report.nodeid
    if key in state.told:
        return  # every worker tells it
    state.told.add(key)
    text = errors.safe(str, report.longrepr)
    if report.outcome == "skipped":
        # pytest counts a module that skips itself as one skipped test
        path = told["path"] or [os.path.basename(told["file"])]
        channel.write("test", file=told["file"], path=path, verdict="skipped", data={"module": True})
        return
    state.collect_errors += 1
    channel.write("file", file=told["file"], path=told["path"], errors=told.get("errors") or [{"message": text, "stack": text}])


@pytest.hookimpl(optionalhook=True)
def pytest_ignore_collect(collection_path):
    only = _select().get("only")
    if only and collection_path.is_file() and os.path.realpath(str(collection_path)) not in only:
        return True
    return None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config, items):
    channel.write("begin")  # no file is being loaded any more
    yield
    wanted = _select().get("tests")
    if not wanted:
        return
    wanted = {json.dumps(w) for w in wanted}
    keep, drop = [], []
    for item in items:
        told = _identify(item)
        key = json.dumps([os.path.realpath(told["file"])] + told["path"])
        (keep if key in wanted else drop).append(item)
    if drop:
        config.hook.pytest_deselected(items=drop)
        items[:] = keep


def pytest_collection_finish(session):
    for item in getattr(session, "items", None) or []:
        told = _identify(item)
        state.identity[item.nodeid] = told
        channel.write("collected", **told)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node, ids):
    if "xdist" in state.told:
        return
    state.told.add("xdist")
    for nodeid in ids:
        channel.write("collected", **_known(nodeid))


# --- tests -----------------------------------------------------------------


def pytest_assertrepr_compare(config, op, left, right):
    frame = sys._getframe(1)
    while frame is not None and _of_pytest(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is not None:
        where = (frame.f_code.co_filename, frame.f_lineno)
        state.compares.append((where, op, errors.typed(left), errors.typed(right)))
        if _snapshot(left) or _snapshot(right):
            state.compares[-1] = (where, "snapshot", state.compares[-1][2], state.compares[-1][3])
        del state.compares[:-20]


def _of_pytest(path):
    parts = path.replace("\\", "/").split("/")
    return "_pytest" in parts or "pluggy" in parts or path == __file__


def _snapshot(value):
    return (getattr(type(value), "__module__", "") or "").split(".")[0] in ("syrupy", "inline_snapshot", "pytest_snapshot")


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef):
    outcome = yield
    if outcome.excinfo is not None:
        try:
            if not hasattr(outcome.excinfo[1], "_regreen_fixture"):
                outcome.excinfo[1]._regreen_fixture = fixturedef.argname
        except Exception:
            pass  # an exception with __slots__


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if outcome.excinfo is not None:
        return
    report = outcome.get_result()
    if call.when != "setup":
        compares, state.compares = state.compares, []
    else:
        compares = state.compares
    if report.outcome != "failed" and not state.worker:
        return  # the identity is known from the collection
    told = dict(state.identity.get(item.nodeid) or _identify(item))
    if report.outcome == "failed":
        text = errors.safe(str, report.longrepr)
        if call.excinfo is not None:
            error = errors.describe(call.excinfo.value, compares, text)
            told["hook"] = str(getattr(call.excinfo.value, "_regreen_fixture", ""))
        else:
            error = {"name": "XPASS" if "XPASS" in text or "Unexpected success" in text else "", "message": text}
        told["errors"] = [error]
    report.regreen = json.dumps(told)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    opened.test(str(getattr(item, "path", None) or item.fspath))
    yield
    opened.test("")


def pytest_runtest_logstart(nodeid):
    state.reports[nodeid] = []
    told = _known(nodeid)
    channel.write("begin", **told)


def pytest_runtest_logreport(report):
    if report.outcome == "rerun":
        state.reports[report.nodeid] = []
        return
    told = getattr(report, "regreen", "")
    if told:
        told = json.loads(told)
        state.identity[report.nodeid] = {k: told[k] for k in ("file", "path", "line") if k in told}
    state.reports.setdefault(report.nodeid, []).append((report, told or {}))
    if report.when not in ("setup", "call", "teardown"):
        _finish(report.nodeid)  # a worker of pytest-xdist crashed in it


def pytest_runtest_logfinish(nodeid):
    _finish(nodeid)


def _errors(report, told):
    found = told.get("errors")
    if not found:
        text = errors.safe(str, report.longrepr)
        name = "crash" if report.when not in ("setup", "call", "teardown") else ""
        found = [{"name": name, "message": text, "stack": text}]
    return found


def _finish(nodeid):
    reports = state.reports.pop(nodeid, [])
    if not reports:
        return
    verdict, failures, not_run, ms = "", [], False, 0.0
    hooks = []
    for report, told in reports:
        part = type(report).__name__.lower() == "subtestreport"
        ms += 0 if part else (getattr(report, "duration", 0) or 0) * 1000
        if report.outcome == "failed":
            if report.when in ("setup", "teardown"):
                hooks.append((report, told))
                if report.when == "setup":
                    verdict, not_run = "errored", True
            else:
                verdict = "failed"
                failures += _errors(report, told)
        elif report.outcome == "skipped" and not part:
            verdict = verdict or "skipped"
        elif report.when == "call" and not part:
            verdict = verdict or "passed"
    told = _known(nodeid)
    for report, more in hooks:
        channel.write("hook", hook=more.get("hook") or report.when, errors=_errors(report, more), data={"when": report.when}, **told)
    channel.write("test", verdict=verdict or "none", errors=failures, not_run=not_run, ms=round(ms, 3), **told)


# --- the run ---------------------------------------------------------------


def pytest_internalerror(excinfo):
    channel.write("run", errors=[errors.describe(excinfo.value, (), errors.safe(excinfo.getrepr))])


def pytest_keyboard_interrupt(excinfo):
    if isinstance(excinfo.value, pytest.Session.Interrupted) and state.collect_errors:
        return  # the files that did not load have been told
    channel.write("run", errors=[errors.describe(excinfo.value)])


def pytest_warning_recorded(warning_message, nodeid):
    name = getattr(warning_message.category, "__name__", "")
    if name in THREAD_WARNINGS and state.warnings < 50:
        state.warnings += 1
        channel.write("warn", text=errors.safe(str, warning_message.message), data={"test": nodeid})


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_sessionfinish(session, exitstatus):
    yield
    state.exit = getattr(session, "exitstatus", exitstatus)


def _foreign():
    """Modules that were loaded from the user's tree instead of the copy."""
    origin, root = os.environ.get("REGREEN_ORIGIN", ""), os.environ.get("REGREEN_ROOT", "")
    if not origin or origin == root:
        return []
    origin, prefix = os.path.join(origin, ""), os.path.join(sys.prefix, "")
    out = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith(origin) and not errors.in_library(file):
            if origin.startswith(prefix) or not file.startswith(prefix):
                out.append(file)
    return sorted(set(out))[:100]


def _elsewhere(config):
    """Modules that the copy has at its top, or in its src, and that were loaded from elsewhere."""
    root = os.environ.get("REGREEN_ROOT", "")
    if not root:
        return []
    tops = []
    for folder in (str(getattr(config, "rootpath", root)), root):
        for top in (folder, os.path.join(folder, "src")):
            if top not in tops:
                tops.append(top)
    inside = os.path.join(os.path.realpath(root), "")
    standard = getattr(sys, "stdlib_module_names", sys.builtin_module_names)
    out = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if "." in name or name in standard or name in ("conftest", "setup") or not isinstance(file, str):
            continue
        real = os.path.realpath(file)
        if real.startswith(inside) and not errors.in_library(real):
            continue
        for top in tops:
            if os.path.isfile(os.path.join(top, name, "__init__.py")) or os.path.isfile(os.path.join(top, name + ".py")):
                out.append(name + ": " + real)
                break
    return sorted(out)[:10]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    for nodeid in list(state.reports):
        if any(r.when == "teardown" for r, _ in state.reports[nodeid]):
            _finish(nodeid)
    channel.end(state.exit, foreign=_foreign(), elsewhere=_elsewhere(config))
