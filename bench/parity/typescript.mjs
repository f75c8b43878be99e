// Tells what TypeScript's parser finds imported in the files named on standard input.
import fs from 'node:fs';
import { createRequire } from 'node:module';
const ts = createRequire('/')(process.argv[1]);
for (const file of fs.readFileSync(0, 'utf8').split('\n')) {
  const kind = /\.[cm]?ts$/.test(file) ? ts.ScriptKind.TS : /\.tsx$/.test(file) ? ts.ScriptKind.TSX : ts.ScriptKind.JSX;
  const text = fs.readFileSync(file, 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const imports = [];
  const literal = (n) => n && ts.isStringLiteralLike(n) && imports.push(n.text);
  const visit = (n) => {
    if (ts.isImportDeclaration(n) || ts.isExportDeclaration(n)) literal(n.moduleSpecifier);
    else if (ts.isExternalModuleReference(n)) literal(n.expression);
    else if (ts.isImportTypeNode(n)) literal(n.argument.literal);
    else if (ts.isCallExpression(n) && (n.expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(n.expression) && n.expression.text === 'require'))) literal(n.arguments[0]);
    ts.forEachChild(n, visit);
  };
  visit(tree);
  console.log(JSON.stringify({ file, error: tree.parseDiagnostics.length > 0, imports }));
}
