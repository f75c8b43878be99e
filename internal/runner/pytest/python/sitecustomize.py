"""Makes the user's interpreter import the copy of a repository, not the original.

Editable installs name the original tree by absolute path: in sys.path (.pth
files), in the finders that setuptools writes, in those of the editables
package. Every such path under REGREEN_ORIGIN is moved to the same place under
REGREEN_ROOT where that exists. Then the sitecustomize that this one hides is
run. Nothing here may raise or print.
"""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_ORIGIN = os.environ.get("REGREEN_ORIGIN", "")
_ROOT = os.environ.get("REGREEN_ROOT", "")


def _library(path):
    parts = path.replace("\\", "/").split("/")
    if "site-packages" in parts or "dist-packages" in parts:
        return True
    prefix = os.path.join(sys.prefix, "")
    return not os.path.join(_ORIGIN, "").startswith(prefix) and path.startswith(prefix)


def _moved(path):
    """The place of path in the copy, or path itself."""
    try:
        text = os.fspath(path)
        if not isinstance(text, str):
            return path
        for origin in {_ORIGIN, os.path.realpath(_ORIGIN)}:
            if (text == origin or text.startswith(os.path.join(origin, ""))) and not _library(text):
                there = _ROOT + text[len(origin):]
                # setuptools names a single module without its suffix
                if os.path.exists(there) or os.path.exists(there + ".py"):
                    return there
    except (TypeError, ValueError, OSError):
        pass
    return path


def _metadata(origin, root):
    """Keeps an old editable install's egg-info findable: git ignores it, so the copy lacks it."""
    folder = os.environ.get("REGREEN_METADATA", "")
    if not folder:
        return
    try:
        for name in os.listdir(origin):
            if name.endswith(".egg-info") and not os.path.exists(os.path.join(root, name)):
                try:
                    os.symlink(os.path.join(origin, name), os.path.join(folder, name))
                except OSError:
                    pass  # another process was first, or no symbolic links here
                if folder not in sys.path:
                    sys.path.append(folder)
    except OSError:
        pass


def _strict(entry):
    """The folders in the copy that setuptools' strict mode links to, file by file, from entry."""
    found = []
    for name in sorted(os.listdir(entry)):
        link = os.path.join(entry, name)
        if os.path.isdir(link):
            link = os.path.join(link, "__init__.py")
        if not link.endswith(".py") or not os.path.islink(link):
            continue
        there = _moved(os.path.realpath(link))
        folder = os.path.dirname(there)
        if os.path.basename(there) == "__init__.py":
            folder = os.path.dirname(folder)
        if there.startswith(os.path.join(_ROOT, "")) and folder not in found:
            found.append(folder)
    return found


def _move_path():
    for entry in list(sys.path):
        if os.path.basename(entry).startswith("__editable__.") and os.path.isdir(entry):
            at = sys.path.index(entry)
            sys.path[at:at] = _strict(entry)
    for i, entry in enumerate(sys.path):
        there = _moved(entry) if isinstance(entry, str) and entry else entry
        if there != entry:
            sys.path[i] = there
            _metadata(entry, there)


def _move_mapping(mapping):
    if isinstance(mapping, dict):
        for key, value in list(mapping.items()):
            if isinstance(value, list):
                mapping[key] = [_moved(v) for v in value]
            else:
                mapping[key] = _moved(value)


def _move_finders():
    for name, module in list(sys.modules.items()):
        if name.startswith("__editable__") and name.endswith("_finder"):
            _move_mapping(getattr(module, "MAPPING", None))
            _move_mapping(getattr(module, "NAMESPACES", None))
    redirector = sys.modules.get("editables.redirector")
    if redirector is not None:
        finder = getattr(redirector, "RedirectingFinder", None)
        _move_mapping(getattr(finder, "_redirections", None))
    for finder in sys.meta_path:
        # scikit-build-core
        _move_mapping(getattr(finder, "known_source_files", None))


def _chain():
    """Runs the sitecustomize that stands behind this one."""
    rest = [p for p in sys.path if os.path.abspath(p or ".") != _HERE]
    for finder in sys.meta_path:
        if getattr(finder, "__name__", "") != "PathFinder":
            continue
        spec = finder.find_spec("sitecustomize", rest)
        if spec is None or spec.loader is None:
            return
        import _frozen_importlib

        module = _frozen_importlib.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)
        return


if _ORIGIN and _ROOT and _ORIGIN != _ROOT:
    try:
        _move_path()
        _move_finders()
    except Exception:
        pass  # the identity probe tells of what could not be moved
if os.environ.get("REGREEN_EXECUTED"):
    try:
        import regreen_executed  # noqa: F401
    except Exception:
        pass  # nothing is narrowed then
_chain()
if os.environ.get("REGREEN_OPENED"):
    try:
        import regreen_opened  # noqa: F401
    except Exception:
        pass  # the selection knows less then, no more
