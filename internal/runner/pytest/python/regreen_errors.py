"""Tells what an exception says by its structure, as regreen's RawError.

Nothing here reads text where Python offers an attribute; the few patterns are
for versions that lack it (names of NameError and AttributeError before 3.10).
Nothing here may raise: an object of the tests can be as hostile as it likes.
"""
import itertools
import linecache
import os
import re
import sys

LIMIT = 10000  # characters of one text
MAX_FRAMES = 60  # at either end of a stack
MAX_NAMES = 300  # attributes or fixtures that could have been meant


def cut(text, limit=LIMIT):
    return text if len(text) <= limit else text[:limit] + "…"


def safe(make, *args):
    """make(*args) as text, whatever happens in it."""
    try:
        return cut(str(make(*args)))
    except Exception as e:
        return "<%s in %s>" % (type(e).__name__, getattr(make, "__name__", "text"))


def typed(value):
    return safe(repr, value)


def positions(tb):
    """The column (from 1, in bytes) at which the frame stands, 0 unknown."""
    try:
        at = next(itertools.islice(tb.tb_frame.f_code.co_positions(), tb.tb_lasti // 2, None))
        return at[2] + 1 if at[0] == tb.tb_lineno and at[2] is not None else 0
    except Exception:
        return 0


def hidden(frame, exc):
    try:
        mark = frame.f_locals.get("__tracebackhide__", frame.f_globals.get("__tracebackhide__"))
        return bool(mark(exc)) if callable(mark) else bool(mark)
    except Exception:
        return False


def traceback(exc):
    """The (traceback, frame) entries of exc, innermost first, without hidden ones."""
    entries, tb = [], exc.__traceback__
    while tb is not None:
        entries.append(tb)
        tb = tb.tb_next
    entries.reverse()
    if len(entries) > 2 * MAX_FRAMES:
        entries = entries[:MAX_FRAMES] + entries[-MAX_FRAMES:]
    return [tb for tb in entries if not hidden(tb.tb_frame, exc)]


def frame_of(tb):
    code = tb.tb_frame.f_code
    out = {"file": code.co_filename, "line": tb.tb_lineno or 0, "function": code.co_name}
    column = positions(tb)
    if column:
        out["column"] = column
    return out


def stack_of(frame):
    """The frames of a running thread, innermost first."""
    out = []
    while frame is not None and len(out) < 2 * MAX_FRAMES:
        code = frame.f_code
        out.append({"file": code.co_filename, "line": frame.f_lineno or 0, "function": code.co_name})
        frame = frame.f_back
    return out


def def_line(function):
    """The file and the line of a function's own def, below its decorators."""
    try:
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        function = getattr(function, "__func__", function)
        function = getattr(function, "func", function)  # functools.partial
        code = function.__code__
        key = code.co_filename, code.co_firstlineno
        if key not in DEF_LINES:
            DEF_LINES[key] = below_decorators(*key)
        return key[0], DEF_LINES[key]
    except Exception:
        return "", 0


DEF_LINES = {}  # a table of parameters asks for one function again and again


def below_decorators(file, line):
    for n in range(line, line + 200):
        text = linecache.getline(file, n)
        if not text:
            break
        if re.match(r"\s*(async\s+)?def\b|.*\blambda\b", text):
            return n
    return line


def take(attr, exc, *keys):
    for key in keys:
        value = getattr(exc, key, None)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            attr[key] = cut(str(value))


def match(pattern, text):
    m = re.search(pattern, text)
    return m.group(1) if m else ""


def attributes(exc, message):
    """What the exception's own type tells, and operands of a comparison."""
    attr = {}
    if isinstance(exc, ImportError):
        take(attr, exc, "name", "path")
        attr["symbol"] = getattr(exc, "name_from", None) or match(r"cannot import name '([^']+)'", message)
    elif isinstance(exc, SyntaxError):
        take(attr, exc, "filename", "lineno", "offset", "end_lineno", "end_offset", "text", "msg")
    elif isinstance(exc, NameError):
        take(attr, exc, "name")
        attr.setdefault("name", match(r"'([^']+)'", message))
    elif isinstance(exc, AttributeError):
        take(attr, exc, "name")
        attr.setdefault("name", match(r"has no attribute '([^']+)'", message))
        if getattr(exc, "name", None) is not None and hasattr(exc, "obj"):
            receiver(attr, exc.obj)
    elif isinstance(exc, SystemExit):
        attr["code"] = typed(exc.code)
    elif type(exc).__name__ == "FixtureLookupError":
        fixture(attr, exc)
    elif type(exc).__name__ == "ConftestImportFailure":
        attr["path"] = safe(str, exc.path)
    return {k: v for k, v in attr.items() if v}


def receiver(attr, obj):
    attr["obj_type"] = type(obj).__name__
    if isinstance(obj, type(sys)):
        attr["module"] = getattr(obj, "__name__", "") or ""
    try:
        names = [n for n in dir(obj) if isinstance(n, str)]
    except Exception:
        return
    if len(names) <= MAX_NAMES:
        attr["names"] = ",".join(names)


def fixture(attr, exc):
    """A requested fixture that does not exist: who asked, and what there is."""
    attr["fixture"] = safe(str, exc.argname)
    try:
        asked = [exc.request._pyfuncitem.obj]
        asked += [getattr(f, "func", f) for f in exc.fixturestack]
        file, line = def_line(asked[-1])
        attr["filename"], attr["lineno"] = file, str(line)
        text = str(exc.formatrepr().errorstring)
        m = re.search(r"available fixtures: (.*)", text)
        if m:
            attr["names"] = ",".join(m.group(1).split(", ")[:MAX_NAMES])
    except Exception:
        pass


# The assertions of libraries that demand equality, and how their operands are
# called: (received, expected). Tolerances and negations are not among them.
EQUAL = frozenset(
    "assertEqual assertEquals assertIs assertDictEqual assertListEqual assertTupleEqual assertSetEqual"
    " assertSequenceEqual assertMultiLineEqual assert_equal assert_array_equal assert_frame_equal"
    " assert_series_equal assert_index_equal".split()
)
LOCALS = (("first", "second"), ("d1", "d2"), ("list1", "list2"), ("tuple1", "tuple2"), ("set1", "set2"),
          ("seq1", "seq2"), ("expr1", "expr2"), ("actual", "desired"), ("x", "y"), ("left", "right"))


def operands(exc, stack, compares):
    """(operator, expected, received) of a failed comparison, or None."""
    if not stack:
        return None
    inner = stack[0]
    for where, op, left, right in reversed(compares):
        if where == (inner.tb_frame.f_code.co_filename, inner.tb_lineno):
            return op, right, left
    # unittest and the like: the outermost frame of the library, called by the test.
    for tb in reversed(stack):
        name = tb.tb_frame.f_code.co_name
        if name not in EQUAL:
            continue
        names = tb.tb_frame.f_locals
        for received, expected in LOCALS:
            if received in names and expected in names:
                return "==", typed(names[expected]), typed(names[received])
    return None


def doctest(out, exc):
    """A doctest's failure names its example; pytest may hold several in one."""
    if type(exc).__name__ == "MultipleDoctestFailures" and exc.failures:
        exc = exc.failures[0]
    if type(exc).__name__ not in ("DocTestFailure", "UnexpectedException"):
        return
    try:
        line = (exc.test.lineno or 0) + exc.example.lineno + 1
        out["frames"] = [{"file": os.path.abspath(exc.test.filename), "line": line, "function": exc.test.name}]
        out["name"], out["message"] = type(exc).__name__, "the example %r gave something else" % exc.example.source.strip()
        if type(exc).__name__ == "DocTestFailure":
            out["operator"], out["expected"], out["actual"] = "==", exc.example.want.strip(), exc.got.strip()
        else:
            out["cause"] = describe(exc.exc_info[1])
            out["message"] = safe(str, exc.exc_info[1])
    except Exception:
        pass


def leaf(exc):
    """The first exception of a group that is not a group itself."""
    seen = 0
    while seen < 10 and getattr(exc, "exceptions", None) and isinstance(exc.exceptions, tuple):
        exc, seen = exc.exceptions[0], seen + 1
    return exc


def describe(exc, compares=(), stack_text="", depth=0):
    """The RawError of an exception and of what it was raised from."""
    message = safe(str, exc)
    attr = attributes(exc, message)
    entries = traceback(exc)
    out = {
        "name": type(exc).__name__,
        "message": message,
        "stack": cut(stack_text, 4 * LIMIT),
        "frames": [frame_of(tb) for tb in entries],
        "attr": attr,
    }
    out["attr"]["module_of_type"] = getattr(type(exc), "__module__", "") or ""
    doctest(out, exc)
    if isinstance(exc, AssertionError):
        found = operands(exc, entries, compares)
        if found:
            out["operator"], out["expected"], out["actual"] = found
    if depth < 5:
        cause = exc.__cause__
        if cause is None and not exc.__suppress_context__:
            cause = exc.__context__
        inner = leaf(exc)
        if inner is not exc:
            cause, attr["group"] = inner, str(len(exc.exceptions))
        if cause is not None and cause is not exc:
            out["cause"] = describe(cause, compares, "", depth + 1)
    return {k: v for k, v in out.items() if v}


def in_library(path):
    return "site-packages" in path.split(os.sep) or "dist-packages" in path.split(os.sep)
