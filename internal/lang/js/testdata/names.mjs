// Reads the names of files, one a line, from standard input and writes, for
// each, what the TypeScript compiler takes its identifiers for: one JSON
// object a line, with the offset of every use and of what it is bound to.
// Usage: node names.mjs <path of typescript.js>
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const ts = createRequire(import.meta.url)(process.argv[2]);
const host = {
  getSourceFile: (f, target) => {
    try {
      return ts.createSourceFile(f, readFileSync(f, "utf8"), target, true);
    } catch {
      return undefined;
    }
  },
  getDefaultLibFileName: () => "lib.d.ts",
  writeFile() {},
  getCurrentDirectory: () => "/",
  getCanonicalFileName: (f) => f,
  useCaseSensitiveFileNames: () => true,
  getNewLine: () => "\n",
  fileExists: (f) => list.includes(f),
  readFile: () => undefined,
  getDirectories: () => [],
};
const list = readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const file of list) {
  const program = ts.createProgram([file], { allowJs: true, noLib: true, noResolve: true, jsx: 1, target: 99, types: [] }, host);
  const sf = program.getSourceFile(file);
  if (!sf || sf.parseDiagnostics.length || /[^\x00-\x7f]/.test(sf.text)) continue;
  const checker = program.getTypeChecker();
  const uses = {};
  const visit = (n) => {
    if (ts.isIdentifier(n) && n.getEnd() > n.getStart(sf)) {
      const at = n.getStart(sf);
      const p = n.parent;
      let lexical = ts.isExpressionNode(n) || ts.isShorthandPropertyAssignment(p) && p.name === n || ts.isExportAssignment(p);
      if (ts.isPartOfTypeNode(n) && !(ts.isQualifiedName(p) && p.right === n)) {
        const q = p.parent;
        lexical = !(ts.isTypePredicateNode(p) && false) && !ts.isImportTypeNode(p) && !(ts.isPropertyAccessExpression(p) && p.name === n) &&
          !(ts.isQualifiedName(p) && q && ts.isImportTypeNode(q));
      }
      if (ts.isQualifiedName(p) && p.left === n) {
        let top = p;
        while (ts.isQualifiedName(top.parent)) top = top.parent;
        lexical = !ts.isImportTypeNode(top.parent);
      }
      if (ts.isExportSpecifier(p)) lexical = !p.parent.parent.moduleSpecifier && (p.propertyName || p.name) === n;
      if (ts.isPropertyAccessExpression(p) && p.name === n || ts.isJsxAttribute(p) || ts.isJsxNamespacedName(p)) lexical = false;
      if (ts.isNamedTupleMember(p) && p.name === n || ts.isExternalModuleReference(p)) lexical = false;
      if (ts.isQualifiedName(p) && p.right === n) lexical = false;
      if (ts.isMetaProperty(p)) lexical = false;
      if ((ts.isJsxOpeningLikeElement(p) || ts.isJsxClosingElement(p)) && p.tagName === n) lexical = !/^[a-z]/.test(n.text);
      if (lexical) {
        const s = checker.resolveName(n.text, n, ts.SymbolFlags.Value | ts.SymbolFlags.Type | ts.SymbolFlags.Namespace | ts.SymbolFlags.Alias, false);
        uses[at] = s && s.declarations ? s.declarations.map((d) => (ts.getNameOfDeclaration(d) || d).getStart(sf)) : [];
      }
    }
    if (ts.isJSDoc(n)) return;
    ts.forEachChild(n, visit);
  };
  ts.forEachChild(sf, visit);
  process.stdout.write(JSON.stringify({ file, uses }) + "\n");
}
