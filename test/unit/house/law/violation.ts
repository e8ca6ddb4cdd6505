import type ts from 'typescript'
import { pathOf, type Tree } from './sources.ts'

export interface Violation {
  path: string
  line: number
  what: string
  /** how to do it right */
  instead: string
}

export type Rule = (tree: Tree) => Violation[]

export function violation(node: ts.Node, what: string, instead: string): Violation {
  const file = node.getSourceFile()
  return { path: pathOf(file), line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, what, instead }
}
