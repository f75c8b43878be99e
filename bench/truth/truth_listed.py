"""Makes the listing of some folders throw where code of the repository asks for it.

TRUTH_LISTED names the folders, TRUTH_ROOT the repository. What pytest and the
import system list for themselves is left alone.
"""
import os
import sys

_root = os.path.join(os.path.realpath(os.environ["TRUTH_ROOT"]), "")
_folders = frozenset(map(os.path.realpath, os.environ["TRUTH_LISTED"].split(os.pathsep)))


def _asked(frame):
    """Whether the repository's code is nearer than a framework's."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith("<frozen importlib") or os.sep + "_pytest" + os.sep in name:
            return False
        if name.startswith(_root) and "site-packages" not in name:
            return True
        frame = frame.f_back
    return False


def _hook(event, args):
    if event not in ("os.listdir", "os.scandir") or isinstance(args[0], int):
        return
    folder = "." if args[0] is None else os.fsdecode(args[0])
    if os.path.realpath(folder) in _folders and _asked(sys._getframe(1)):
        # No OSError: os.walk passes over those.
        raise RuntimeError("regreen truth")


sys.addaudithook(_hook)
