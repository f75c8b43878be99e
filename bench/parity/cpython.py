"""Tells what CPython's ast finds imported in the files named on standard input."""
import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")
for file in sys.stdin.read().split("\n"):
    told = {"file": file, "error": False, "imports": []}
    try:
        with open(file, "rb") as f:
            tree = ast.parse(f.read())
        for n in ast.walk(tree):
            if isinstance(n, ast.Import):
                told["imports"] += [a.name for a in n.names]
            elif isinstance(n, ast.ImportFrom):
                told["imports"].append("." * n.level + (n.module or ""))
    except (SyntaxError, ValueError):
        told["error"] = True
    print(json.dumps(told))
