"""Notes which functions of the repository each test file executes.

A function is known by its file and the line that it begins on. What is executed
while no test is at work, or by what several test files share, counts for all of
them. Where it cannot be told what a test file executed, that is said. Nothing is
noted unless REGREEN_EXECUTED names a file; each process that runs tests writes
one of its own, with its process id at the end, when it ends. Python 3.8 and
later: before that there are no audit hooks to see what leads out of a process.
"""
import gc
import json
import os
import sys
import threading
import types

import _thread

_out = os.environ.get("REGREEN_EXECUTED", "")
_root = os.environ.get("REGREEN_ROOT", "")
# A child of a test is not watched: that the test started it is known.
on = bool(_out and _root) and hasattr(sys, "addaudithook") and not os.environ.get("REGREEN_OPENED_BY", "")
_monitoring = getattr(sys, "monitoring", None)
_pid = os.getpid()
_skipped = tuple(os.sep + name + os.sep for name in (".git", "node_modules", "site-packages", "__pycache__"))

# What they load runs functions in ways of its own, or functions that it does not call.
_STRANGE = ("greenlet", "numba", "cloudpickle", "dill", "torch._dynamo", "_xxsubinterpreters", "_interpreters", "concurrent.interpreters")
# What leads out of the process, where nothing is seen.
_LEAVES = {
    "subprocess.Popen": "starts processes", "os.system": "starts processes", "os.exec": "starts processes", "os.fork": "starts processes",
    "os.forkpty": "starts processes", "os.posix_spawn": "starts processes", "os.spawn": "starts processes", "os.startfile": "starts processes",
    "pty.spawn": "starts processes", "socket.connect": "connects to a socket",
}
_MAX_OBJECTS = 300000


class _Own(dict):
    """Whether code of a file name is the repository's own."""

    def __missing__(self, name):
        own = False
        if isinstance(name, str) and not name.startswith("<"):
            path = os.path.realpath(name)
            own = path.startswith(_base) and not any(s in path for s in _skipped)
        self[name] = own
        return own


class _Test:
    """What is known of one test file."""

    def __init__(self):
        self.ran, self.items, self.doubt = set(), set(), ""


_base = os.path.join(os.path.realpath(_root), "")
_own = _Own()
_shared = set()  # what counts for all: the file name and line of functions
_now = _shared
_tests = {}
_at = None  # the _Test at work
_path = ""
_carry = set()  # what test files executed that left something behind
_before = None
_processes = False  # one was started
_busy = False
_lost = ""  # why nothing is known of any test
_tool = None


# --- the interpreter's events -----------------------------------------------


def _named(code):
    """A module, which begins on the same line as a function may, is line 0."""
    return code.co_filename, 0 if code.co_name == "<module>" else code.co_firstlineno


def _started(code, offset):
    if _own[code.co_filename]:
        _now.add(_named(code))
    return _monitoring.DISABLE


def _thrown(code, offset, exception):
    if _own[code.co_filename]:
        _now.add(_named(code))


def _profile(frame, event, arg):
    if event == "call":
        code = frame.f_code
        if _own[code.co_filename]:
            _now.add(_named(code))
    elif event == "c_call" and arg is _thread.start_new_thread and _at is not None:
        if frame.f_code.co_filename != threading.__file__:
            _at.doubt = _at.doubt or "starts threads that are not seen"


def _install():
    global _tool, _busy
    if _monitoring is None:
        _busy = True
        threading.setprofile(_profile)
        sys.setprofile(_profile)
        _busy = False
        return
    events = _monitoring.events
    for number in (3, 4, 2):
        if _monitoring.get_tool(number) is None:
            _monitoring.use_tool_id(number, "regreen")
            _tool = number
            break
    else:
        raise RuntimeError("no tool is free")
    _monitoring.register_callback(_tool, events.PY_START, _started)
    _monitoring.register_callback(_tool, events.PY_RESUME, _started)
    _monitoring.register_callback(_tool, events.PY_THROW, _thrown)
    _monitoring.set_events(_tool, events.PY_START | events.PY_RESUME | events.PY_THROW)


def _displaced():
    """Whether somebody else took what tells of calls."""
    if _monitoring is None:
        return sys.getprofile() is not _profile or threading._profile_hook is not _profile
    events = _monitoring.events
    return _monitoring.get_tool(_tool) != "regreen" or _monitoring.get_events(_tool) != events.PY_START | events.PY_RESUME | events.PY_THROW


def _again():
    """Functions that were noted are noted once more when they run."""
    if _monitoring is not None:
        _monitoring.restart_events()


def _audit(event, args):
    global _processes
    why = _LEAVES.get(event)
    if why is None:
        if _monitoring is not None or _busy:
            return
        if event != "sys.setprofile" or sys._getframe(1).f_code.co_filename == threading.__file__:
            return  # a thread takes over ours
        why = "sets a profile function"
    if why == "starts processes":
        _processes = True
    if _at is not None:
        _at.doubt = _at.doubt or why


# --- state that outlives a test file ----------------------------------------


def _modules():
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(module, types.ModuleType) and isinstance(file, str) and _own[file] and os.path.realpath(file) not in _files:
            yield name, module


_files = set()  # the test files
_ATOMS = (str, int, float, complex, bytes, bool, type(None))
_IDLE = {"__warningregistry__", "__builtins__", "__spec__", "__loader__", "__cached__", "_abc_impl"}


def _inside(thing, own):
    """What a thing refers to, as far as tests can leave something there."""
    kind = type(thing)
    if kind is dict:
        out = []
        for key, value in list(thing.items()):
            if not (isinstance(key, str) and key in _IDLE):
                out += (key, value)
        return out
    if isinstance(thing, types.ModuleType):
        return ()
    if isinstance(thing, type):
        return gc.get_referents(thing) if getattr(thing, "__module__", None) in own else ()
    if kind is types.FunctionType:
        if not _own[thing.__code__.co_filename]:
            return ()
        return [r for r in gc.get_referents(thing) if type(r) is not types.CodeType and r is not thing.__globals__]
    if kind in (types.CodeType, types.FrameType, types.BuiltinFunctionType) or kind.__module__ in ("logging", "_abc"):
        return ()
    return gc.get_referents(thing)


def _traces():
    """A number that another one follows when what the modules hold differs; None where that is too much."""
    own = dict(_modules())
    seen, mark = set(), hash(tuple(sorted(own)))
    todo = [vars(module) for module in own.values()]
    while todo:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if len(seen) > _MAX_OBJECTS:
            return None
        parts = [id(thing), id(type(thing))]
        for r in _inside(thing, own):
            if type(r) in _ATOMS:
                parts.append(hash(r))
            else:
                parts.append(id(r))
                todo.append(r)
        mark ^= hash(tuple(parts))
    return mark


# --- the stretches of a run -------------------------------------------------


def _children():
    """Whether a process that was started may still be at work."""
    try:
        os.waitid(os.P_ALL, 0, os.WNOHANG | os.WNOWAIT | os.WEXITED)
    except ChildProcessError:
        return False
    except Exception:
        pass
    return True


def _begin(path, item):
    """An item of a test file begins."""
    global _at, _path, _now, _before
    if path != _path:
        _end(True)
        _at = _tests.setdefault(path, _Test())
        _path = path
        if _before is None and len(_files) > 1:
            _before = _traces()
        _at.ran |= _carry
        _now = _at.ran
        if _processes and _children():
            _at.doubt = _at.doubt or "runs beside a process that was started before"
        if _displaced():
            _at.doubt = _at.doubt or "runs where another tool watches calls"
        _again()
        for frame in sys._current_frames().values():
            while frame is not None:
                if _own[frame.f_code.co_filename]:
                    _now.add(_named(frame.f_code))
                frame = frame.f_back
    _at.items.add(item.nodeid)
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        _at.doubt = _at.doubt or "draws its examples by chance"


def _end(more):
    """No test file is at work any more; more may follow."""
    global _at, _path, _now, _before
    if _at is None:
        return
    if _displaced():
        _at.doubt = _at.doubt or "took the place of what watches calls"
        if _monitoring is None:
            _install()
    for name in _STRANGE:
        if name in sys.modules:
            _at.doubt = _at.doubt or "runs with " + name
    if more and len(_files) > 1:
        before, _before = _before, _traces()
        if before is None or before != _before:
            _carry.update(_at.ran)
    _at, _path, _now = None, "", _shared
    _again()


class _Everyone:
    """What runs inside counts for all test files."""

    def __enter__(self):
        global _now
        self.outer, self.inner = _now, set()
        _now = self.inner
        _again()

    def __exit__(self, *_):
        global _now
        _now = self.outer
        _shared.update(self.inner)
        if self.outer is not _shared:
            self.outer.update(self.inner)


def _placed(ran):
    out = {}
    for name, line in ran:
        out.setdefault(os.path.realpath(name), []).append(line)
    return out


def _write():
    if os.getpid() != _pid:
        return
    _end(False)
    tests = {os.path.realpath(path): {"ran": _placed(t.ran), "items": len(t.items), "doubt": t.doubt} for path, t in _tests.items()}
    with open("%s.%d" % (_out, _pid), "w") as f:
        json.dump({"shared": _placed(_shared), "tests": tests, "lost": _lost}, f)


def plugin():
    """The plugin for pytest that tells which test is at work."""
    import pytest

    class Executed:
        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session):
            for item in getattr(session, "items", None) or []:
                _files.add(os.path.realpath(str(getattr(item, "path", None) or item.fspath)))

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_protocol(self, item, nextitem):
            _begin(str(getattr(item, "path", None) or item.fspath), item)
            yield

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_fixture_setup(self, fixturedef):
            if fixturedef.scope in ("session", "package"):
                with _Everyone():
                    yield
            else:
                yield

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_teardown(self, item, nextitem):
            if nextitem is None or str(getattr(nextitem, "path", None) or nextitem.fspath) != _path:
                with _Everyone():  # of what the next file's tests, alone, would have to take down too
                    yield
            else:
                yield

        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_runtest_makereport(self, item):
            outcome = yield
            if outcome.excinfo is not None or _at is None:
                return
            report = outcome.get_result()
            if report.outcome == "rerun":
                _at.doubt = _at.doubt or "was run again"
            elif report.outcome == "skipped" and not hasattr(report, "wasxfail"):
                if report.when != "setup" or not any(m.name in ("skip", "skipif") for m in item.iter_markers()):
                    _at.doubt = _at.doubt or "has a test that skipped itself"

        @pytest.hookimpl(trylast=True)
        def pytest_unconfigure(self):
            _write()

    return Executed()


if on:
    try:
        sys.addaudithook(_audit)
        _install()
        if any(_modules()):
            _lost = "modules of the repository were loaded before anything was watched"
    except Exception:
        on = False
