import ts from 'typescript'
import { FOLDERS, folderOf } from './folders.ts'
import { pathOf, type Tree } from './sources.ts'
import { constant, walk } from './syntax.ts'
import { type Violation, violation } from './violation.ts'

const IN_TEST = /^(\.{1,2}\/)*test\//

/** What ships runs without `test`: no file of it is started or read by its path, as none is imported. */
export function ruleOfShipped({ code, checker }: Tree): Violation[] {
  return code.flatMap((file) => {
    const folder = folderOf(pathOf(file))
    const found: Violation[] = []
    if (folder === 'bench' || FOLDERS[folder] === undefined) return []
    walk(file, (node) => {
      if (!ts.isExpression(node)) return
      const text = constant(node, checker)
      if (text === undefined || !IN_TEST.test(text) || ts.isIdentifier(node)) return
      found.push(
        violation(node, `names ${text}`, 'What ships stands outside of test: move the file to where it is used'),
      )
    })
    return found
  })
}
