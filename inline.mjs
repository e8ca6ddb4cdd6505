import ts from 'typescript'
import { readFileSync, writeFileSync } from 'node:fs'
import { execSync } from 'node:child_process'
const dirs = process.argv.slice(2)
const files = execSync(`git ls-files ${dirs.join(' ')}`, { encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter((f) => /\.tsx?$/.test(f) && !f.includes('generated'))
let n = 0
for (const f of files) {
  for (;;) {
    const text = readFileSync(f, 'utf8')
    const sf = ts.createSourceFile(f, text, ts.ScriptTarget.Latest, true, f.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS)
    let edit
    const visit = (node) => {
      if (edit) return
      if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)) {
        const { properties } = node.expression
        if (properties.length === 0) return
        const inner = text.slice(properties[0].getStart(sf), properties.at(-1).getEnd())
        edit = [node.getStart(sf), node.getEnd(), inner]
        return
      }
      ts.forEachChild(node, visit)
    }
    visit(sf)
    if (!edit) break
    writeFileSync(f, text.slice(0, edit[0]) + edit[2] + text.slice(edit[1]))
    n++
  }
}
console.log(n, 'inlined')
