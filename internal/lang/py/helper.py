import base64, json, sys, warnings

warnings.simplefilter("ignore")
sys.stdout.write("ready %d %d\n" % sys.version_info[:2])
sys.stdout.flush()
AST = 1024  # ast.PyCF_ONLY_AST
for line in sys.stdin:
    req = json.loads(line)
    out = {"ok": True, "phase": "parse"}
    try:
        tree = compile(base64.b64decode(req["src"]), req["path"], "exec", AST, True)
        out["phase"] = "compile"
        compile(tree, req["path"], "exec", 0, True)
    except SyntaxError as e:
        out.update(ok=False, line=e.lineno or 0, offset=e.offset or 0, msg=e.msg or "", text=e.text or "", file=e.filename or "")
    except (ValueError, RecursionError, MemoryError, OverflowError) as e:
        out.update(ok=False, line=0, offset=0, msg=str(e) or type(e).__name__, text="", file="")
    sys.stdout.write(json.dumps(out) + "\n")
    sys.stdout.flush()
