// Reads the names of files, one a line, from standard input and writes what
// the TypeScript compiler says of each as one JSON object a line.
// Usage: node oracle.mjs <path of typescript.js>
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const ts = createRequire(import.meta.url)(process.argv[2]);

function kindOf(file) {
  if (/\.tsx$/.test(file)) return ts.ScriptKind.TSX;
  if (/\.[cm]?ts$/.test(file)) return ts.ScriptKind.TS;
  return ts.ScriptKind.JSX;
}

function literal(n) {
  return n && (ts.isStringLiteral(n) || ts.isNoSubstitutionTemplateLiteral(n));
}

function bindingNames(name, out) {
  if (ts.isIdentifier(name)) out.push(name.text);
  else for (const e of name.elements) if (!ts.isOmittedExpression(e)) bindingNames(e.name, out);
}

function describe(file) {
  const raw = readFileSync(file);
  const text = raw.toString("utf8");
  const sf = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kindOf(file));
  const ascii = raw.length === text.length;
  const byte = (i) => (ascii ? i : Buffer.byteLength(text.slice(0, i)));
  const r = { file, errors: sf.parseDiagnostics.length, imports: [], exports: [], defs: [] };
  const spec = (kind, n) =>
    r.imports.push(`${kind} ${text.slice(n.getStart(sf) + 1, n.getEnd() - 1)} ${byte(n.getStart(sf) + 1)}`);
  const has = (n, k) => n.modifiers && n.modifiers.some((m) => m.kind === k);
  for (const s of sf.statements) {
    if (ts.isImportDeclaration(s)) {
      const c = s.importClause;
      spec(c && c.isTypeOnly ? "type" : "import", s.moduleSpecifier);
    } else if (ts.isImportEqualsDeclaration(s)) {
      if (ts.isExternalModuleReference(s.moduleReference)) spec(s.isTypeOnly ? "type" : "require", s.moduleReference.expression);
      if (has(s, ts.SyntaxKind.ExportKeyword)) r.exports.push(s.name.text);
    } else if (ts.isExportDeclaration(s)) {
      if (s.moduleSpecifier) spec(s.isTypeOnly ? "type" : "export", s.moduleSpecifier);
      if (!s.exportClause) r.exports.push("*");
      else if (ts.isNamespaceExport(s.exportClause)) r.exports.push(s.exportClause.name.text);
      else for (const e of s.exportClause.elements) r.exports.push(e.name.text);
    } else if (ts.isExportAssignment(s)) r.exports.push("default");
    else {
      const names = [];
      if (ts.isVariableStatement(s)) for (const d of s.declarationList.declarations) bindingNames(d.name, names);
      else if (s.name && (ts.isFunctionDeclaration(s) || ts.isClassDeclaration(s) || ts.isInterfaceDeclaration(s) ||
          ts.isTypeAliasDeclaration(s) || ts.isEnumDeclaration(s))) names.push(s.name.text);
      else if (ts.isModuleDeclaration(s) && ts.isIdentifier(s.name) && s.name.text !== "global") names.push(s.name.text);
      const body = `${byte(s.getStart(sf))}-${byte(s.getEnd())}`;
      for (const n of names) r.defs.push(`${n} ${s.modifiers && s.modifiers.some((m) => ts.isDecorator(m)) ? "" : body}`);
      if (has(s, ts.SyntaxKind.ExportKeyword)) {
        if (has(s, ts.SyntaxKind.DefaultKeyword)) r.exports.push("default");
        else r.exports.push(...names);
      }
    }
  }
  const visit = (n) => {
    if (ts.isJSDoc && n.kind >= ts.SyntaxKind.FirstJSDocNode && n.kind <= ts.SyntaxKind.LastJSDocNode) return;
    if (ts.isCallExpression(n) && n.arguments.length > 0) {
      const a = n.arguments[0], x = n.expression;
      if (x.kind === ts.SyntaxKind.ImportKeyword && literal(a)) spec("import()", a);
      else if (ts.isIdentifier(x) && x.text === "require" && literal(a)) spec("require", a);
    }
    if (ts.isImportTypeNode(n) && ts.isLiteralTypeNode(n.argument)) spec("type", n.argument.literal);
    ts.forEachChild(n, visit);
  };
  ts.forEachChild(sf, visit);
  return r;
}

const files = readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const f of files) process.stdout.write(JSON.stringify(describe(f)) + "\n");
