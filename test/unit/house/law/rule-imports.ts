import { isBuiltin } from 'node:module'
import ts from 'typescript'
import { BUILDERS, type Builder, VERBS } from './choke-points.ts'
import { FOLDERS, type Folder, folderOf, ROOTS } from './folders.ts'
import { type Import, importsOf, packageOf } from './imports.ts'
import { own } from './own.ts'
import { places } from './places.ts'
import { pathOf, type Tree } from './sources.ts'
import { symbolOf, walk } from './syntax.ts'
import { type Violation, violation } from './violation.ts'

/** Each tool that sends alerts is one file, its shape included. */
const SCHEMA_FILE = /(^|[/-])schema\.ts$|^core\/trigger\/sources\//
/** What a workflow takes of core must tell it nothing of plans and votes: those are claims until the record bears them out. */
const NOT_FOR_WORKFLOWS = /^core\/(plan|policy)\/|^core\/gate\/(?!types\.ts$)/
/** It loads what its arguments name, before the main of a process. */
const UNREAD = places('import of a computed name', 'platform/program/launch.mjs')

/** Who imports whom, and which packages: by the allow-lists of the folders. */
export function ruleOfImports({ code, checker }: Tree): Violation[] {
  return code.flatMap((file) => {
    const path = pathOf(file)
    const folder = FOLDERS[folderOf(path)]
    if (folder === undefined) return []
    return importsOf(file, checker).flatMap((each) => [
      ...layer(each, path, folder),
      ...packageRule(each, path, folder),
      ...verbs(each, path),
      ...builders(each, path, file, checker),
    ])
  })
}

function layer({ target, ours, type, node, specifier }: Import, path: string, folder: Folder): Violation[] {
  if (specifier === undefined)
    return UNREAD.has(path)
      ? []
      : [
          violation(
            node,
            'imports a name that is computed',
            'Write the name out, so that it can be read what is loaded',
          ),
        ]
  if (!ours || target === undefined) return []
  const from = folderOf(target)
  if (folderOf(path) === 'workflows' && NOT_FOR_WORKFLOWS.test(target))
    return [violation(node, `imports ${specifier}`, 'A workflow knows names only: ask the record in an activity')]
  if (folder.ours.includes(from) || (type && folder.types.includes(from))) return []
  if (ROOTS.has(path) && from !== 'test' && from !== 'bench') return []
  const asType = folder.types.includes(from) ? ' with values; here `import type` is allowed' : ''
  return [violation(node, `imports ${specifier}${asType}`, sentence(folder.instead))]
}

function packageRule({ target, ours, type, node }: Import, path: string, folder: Folder): Violation[] {
  if (ours || target === undefined) return []
  const name = packageOf(target, isBuiltin)
  const rule = own(folder.packages, name)
  if (name === 'zod' && folderOf(path) === 'core' && !SCHEMA_FILE.test(path))
    return [
      violation(node, 'imports zod', 'Shapes of core stand in schema.ts and *-schema.ts: import the type from there'),
    ]
  if (rule === 'anywhere' || (rule === 'types' && type)) return []
  if (typeof rule === 'object' && rule.has(path)) return []
  if (own(ROOT_PACKAGES, name)?.has(path)) return []
  return [
    violation(
      node,
      `imports ${name}`,
      `${sentence(folder.instead)}. A package that belongs here is listed in test/unit/house/law/folders.ts`,
    ),
  ]
}

/** Packages that a composition root needs and the rest of its folder does not. */
const ROOT_PACKAGES: Record<string, ReturnType<typeof places>> = {
  'node:crypto': places('node:crypto in a root', 'services/create-service-deps.ts'),
}

/** Verbs that stand behind a choke point are called by it alone. */
function verbs({ target, names, type, node }: Import, path: string): Violation[] {
  if (type) return []
  return VERBS.filter(
    (verb) =>
      verb.file === target &&
      (names.includes('*') || names.includes('default') || verb.names.some((name) => names.includes(name))) &&
      !verb.by.has(path),
  ).map((verb) => violation(node, `imports ${verb.names.join(', ')}`, verb.instead))
}

function builders(each: Import, path: string, file: ts.SourceFile, checker: ts.TypeChecker): Violation[] {
  const { target, type, names, node } = each
  if (type || target === undefined) return []
  return BUILDERS.filter(({ module }) => module === target || module === packageOf(target, isBuiltin)).flatMap(
    (builder) => {
      if (builder.in.has(path) || target.endsWith('.json')) return []
      const looked =
        builder.harmless !== undefined && ts.isImportDeclaration(node) && names.every((name) => name === 'default')
      if (!looked || node.importClause?.name === undefined) {
        const taken = names.includes('*') || names.some((name) => builder.names.includes(name))
        return taken ? [violation(node, `builds ${builder.what}`, builder.instead)] : []
      }
      return builtHere(builder, node, file, checker)
    },
  )
}

/** The import itself has uses that build nothing: each use of the name is looked at. */
function builtHere(
  builder: Builder,
  node: ts.ImportDeclaration,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
): Violation[] {
  const name = node.importClause?.name
  const symbol = name && checker.getSymbolAtLocation(name)
  const found: Violation[] = []
  walk(file, (each) => {
    if (!ts.isIdentifier(each) || each === name || each.text !== name?.text) return
    if (symbolOf(each, checker) !== symbol) return
    const { parent } = each
    if (ts.isQualifiedName(parent) || ts.isTypeNode(parent)) return
    if (ts.isPropertyAccessExpression(parent) && builder.harmless?.includes(parent.name.text)) return
    found.push(violation(each, `builds ${builder.what}`, builder.instead))
  })
  return found
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
