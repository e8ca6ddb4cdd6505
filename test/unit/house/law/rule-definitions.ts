import ts from 'typescript'
import { DEFINED_ONCE } from './choke-points.ts'
import { FOLDERS, folderOf } from './folders.ts'
import { own } from './own.ts'
import { pathOf, type Tree } from './sources.ts'
import { walk } from './syntax.ts'
import { type Violation, violation } from './violation.ts'

/** A choke point exists once: nothing else may carry its name, under which readers take it for granted. */
export function ruleOfDefinitions({ code }: Tree): Violation[] {
  return code.flatMap((file) => {
    const path = pathOf(file)
    const found: Violation[] = []
    if (FOLDERS[folderOf(path)] === undefined) return []
    walk(file, (node) => {
      const name = definedBy(node)
      if (name === undefined) return
      const once = own(DEFINED_ONCE, name)
      if (once !== undefined && !once.in.has(path)) found.push(violation(node, `defines another ${name}`, once.instead))
    })
    return found
  })
}

/** The places that define each of the names, to see that they are there. */
export function definitionsOf({ code }: Tree): string[] {
  return code.flatMap((file) => {
    const names: string[] = []
    walk(file, (node) => {
      const name = definedBy(node)
      if (name !== undefined && Object.hasOwn(DEFINED_ONCE, name)) names.push(`${name} in ${pathOf(file)}`)
    })
    return names
  })
}

/** Whatever gives a function its name: declared, assigned, a method, a class, or imported or exported under it. */
function definedBy(node: ts.Node): string | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isClassLike(node) || ts.isFunctionExpression(node)) return node.name?.text
  if (ts.isMethodDeclaration(node) || ts.isGetAccessor(node)) return textOf(node.name)
  if (ts.isVariableDeclaration(node)) return ts.isIdentifier(node.name) ? node.name.text : undefined
  if (ts.isPropertyAssignment(node)) return isFunction(node.initializer) ? textOf(node.name) : undefined
  if (ts.isPropertyDeclaration(node)) return textOf(node.name)
  if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node))
    return node.propertyName !== undefined && node.propertyName.text !== node.name.text ? node.name.text : undefined
  if (ts.isImportClause(node)) return node.name?.text
  if (ts.isBindingElement(node))
    return node.propertyName !== undefined && ts.isIdentifier(node.name) ? node.name.text : undefined
  return undefined
}

function isFunction(node: ts.Expression): boolean {
  return ts.isFunctionLike(node)
}

function textOf(name: ts.PropertyName): string | undefined {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : undefined
}
