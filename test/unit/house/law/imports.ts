import ts from 'typescript'
import { pathOf } from './sources.ts'
import { bare, constant, nameOf, walk } from './syntax.ts'

export interface Import {
  /** undefined where the text does not say what is imported */
  specifier: string | undefined
  /** the file from the root for what is ours, else the package or built-in module; undefined with the specifier */
  target: string | undefined
  ours: boolean
  /** what is taken by name; `*` is everything */
  names: string[]
  /** nothing of it is there at run time */
  type: boolean
  node: ts.Node
}

/** Everything that a file takes from others: static, dynamic, `require`, re-exports, and types alone. */
export function importsOf(file: ts.SourceFile, checker: ts.TypeChecker): Import[] {
  const found: Import[] = []
  const add = (node: ts.Node, specifier: string | undefined, names: string[], type = false) =>
    found.push({ specifier, ...resolve(pathOf(file), specifier), names, type, node })
  for (const { fileName } of file.typeReferenceDirectives) add(file, fileName, ['*'], true)
  walk(file, (node) => {
    if (ts.isImportDeclaration(node)) add(node, textOf(node.moduleSpecifier), importedNames(node), isTypeOnly(node))
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier)
      add(node, textOf(node.moduleSpecifier), reExportedNames(node), node.isTypeOnly)
    else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
      add(node, textOf(node.moduleReference.expression), ['*'], node.isTypeOnly)
    else if (ts.isImportTypeNode(node))
      add(node, ts.isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : undefined, ['*'], true)
    else if (ts.isCallExpression(node) && loads(node)) {
      const [what] = node.arguments
      add(node, what && constant(what, checker), awaitedNames(node, checker))
    }
  })
  return found
}

function textOf(node: ts.Node): string | undefined {
  return ts.isStringLiteralLike(node) ? node.text : undefined
}

/** `import(…)`, `require(…)`, `createRequire(…)(…)`, `module.require(…)`, `process.getBuiltinModule(…)`. */
function loads({ expression }: ts.CallExpression): boolean {
  const callee = bare(expression)
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true
  if (ts.isIdentifier(callee)) return callee.text === 'require'
  if (ts.isPropertyAccessExpression(callee)) return /^(require|getBuiltinModule)$/.test(callee.name.text)
  return ts.isCallExpression(callee) && /createRequire$/.test(callee.expression.getText())
}

function importedNames({ importClause: clause }: ts.ImportDeclaration): string[] {
  if (clause === undefined) return []
  const { namedBindings: bindings } = clause
  const named = bindings && ts.isNamedImports(bindings) ? bindings.elements.filter((each) => !each.isTypeOnly) : []
  return [
    ...(clause.name ? ['default'] : []),
    ...(bindings && ts.isNamespaceImport(bindings) ? ['*'] : []),
    ...named.map((each) => (each.propertyName ?? each.name).text),
  ]
}

/** `import type`, or nothing but `type` members: the second still loads the file, so it counts for what is ours alone. */
function isTypeOnly({ importClause: clause }: ts.ImportDeclaration): boolean {
  return clause?.isTypeOnly === true
}

function reExportedNames({ exportClause: clause }: ts.ExportDeclaration): string[] {
  if (clause === undefined || ts.isNamespaceExport(clause)) return ['*']
  return clause.elements.filter((each) => !each.isTypeOnly).map((each) => (each.propertyName ?? each.name).text)
}

/** `const { a } = await import('b')` takes `a`, anything else takes everything. */
function awaitedNames(node: ts.CallExpression, checker: ts.TypeChecker): string[] {
  let holder: ts.Node = node.parent
  while (ts.isAwaitExpression(holder) || ts.isParenthesizedExpression(holder)) holder = holder.parent
  if (!ts.isVariableDeclaration(holder) || !ts.isObjectBindingPattern(holder.name)) return ['*']
  return holder.name.elements.map((each) =>
    each.dotDotDotToken ? '*' : (nameOf(each.propertyName ?? each.name, checker) ?? '*'),
  )
}

function resolve(path: string, specifier: string | undefined): { target: string | undefined; ours: boolean } {
  if (specifier === undefined) return { target: undefined, ours: false }
  if (specifier.startsWith('#')) return { target: specifier.slice(1), ours: true }
  if (/^[./]/.test(specifier)) return { target: new URL(specifier, `file:///${path}`).pathname.slice(1), ours: true }
  if (specifier.startsWith('file:')) return { target: new URL(specifier).pathname.slice(1), ours: true }
  return { target: specifier, ours: false }
}

/** `@scope/name` or `name` of a package, `node:x` of a built-in module (also when it is spelt without `node:`). */
export function packageOf(target: string, builtin: (name: string) => boolean): string {
  if (target.startsWith('node:')) return target
  const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/')
  return builtin(name) ? `node:${target}` : name
}
