"""Notes which files of the repository a run reads, and for which test file.

One JSON line each in the file that REGREEN_OPENED names. It is loaded by every
Python process of a run, changes nothing and never raises. Python 3.8 and later;
before that there are no audit hooks, and nothing is noted.
"""
import json
import os
import sys
import threading

try:
    import posix as _os  # the real thing, also where a test has put a fake os in place
except ImportError:
    import nt as _os

_out = os.environ.get("REGREEN_OPENED", "")
_root = os.path.join(os.environ.get("REGREEN_ROOT", ""), "")
_noted = set()
_busy = threading.local()
_test = os.environ.get("REGREEN_OPENED_BY", "")
_skipped = tuple(os.sep + name + os.sep for name in (".git", "node_modules", "site-packages", "__pycache__"))


def test(path):
    """Says which test file is at work; "" is none."""
    global _test
    _test = path
    if _out and path:
        os.environ["REGREEN_OPENED_BY"] = path  # for the children


def _own(path):
    return path.startswith(_root) and not any(s in path for s in _skipped)


def _put(by, path, kind):
    key = (by, path, kind)
    if key in _noted or by == path or not by or len(_noted) > 200000:
        return
    _noted.add(key)
    fd = _os.open(_out, _os.O_WRONLY | _os.O_APPEND | _os.O_CREAT | getattr(_os, "O_BINARY", 0), 0o600)
    try:
        _os.write(fd, (json.dumps({"by": by, "file": path, "kind": kind}) + "\n").encode("ascii"))
    finally:
        _os.close(fd)


def _note(path, kind):
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    elif not isinstance(path, str):
        path = os.fspath(path)
    path = os.path.abspath(path)
    if not _own(path + os.sep):
        return
    by, frame, loading = _test, sys._getframe(2), ""
    if frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        kind = "load" if kind == "read" else ""  # a finder lists folders
    while frame is not None and not loading:
        code = frame.f_code
        # What a module reads while it is loaded it reads for all who load it; who
        # imports is the nearest of the repository's own.
        if (code.co_name == "<module>" or kind == "load") and _own(code.co_filename):
            loading = code.co_filename
        frame = frame.f_back
    if kind:
        _put(by, path, kind)
        _put(loading, path, kind)


def _hook(event, args):
    if event == "open":
        path, mode, flags = args
        write = flags & 3 if isinstance(flags, int) else 0
        if write or isinstance(mode, str) and not mode.startswith("r"):
            return
        kind = "read"
    elif event == "os.listdir" or event == "os.scandir":
        path, kind = args[0], "list"
    else:
        return
    if path is None or isinstance(path, int) or getattr(_busy, "on", False):
        return
    _busy.on = True
    try:
        _note(path, kind)
    except Exception:
        pass  # the selection knows less then, no more
    finally:
        _busy.on = False


if _out and len(_root) > 1 and hasattr(sys, "addaudithook"):
    sys.addaudithook(_hook)
