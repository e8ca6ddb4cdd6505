import ts from 'typescript'
import { HANDED_ON, MEMBERS, type MemberRule } from './choke-points.ts'
import { FOLDERS, folderOf } from './folders.ts'
import { pathOf, type Tree } from './sources.ts'
import { bare, called, type Member, memberAt, walk } from './syntax.ts'
import { type Violation, violation } from './violation.ts'

/** Who uses the members that act, start, decide or resolve, in whatever spelling. */
export function ruleOfPorts({ code, checker }: Tree): Violation[] {
  return code.flatMap((file) => {
    const path = pathOf(file)
    const found: Violation[] = []
    if (FOLDERS[folderOf(path)] === undefined) return []
    walk(file, (node) => {
      const member = memberAt(node, checker)
      if (member === undefined || isComparedToNothing(node)) return
      const owners = [...called(member.object, checker), ...(member.owner === undefined ? [] : [member.owner])]
      for (const rule of MEMBERS)
        if (rule.names.includes(member.name) && ownedBy(rule, owners) && !rule.in.has(path))
          found.push(violation(node, `uses ${label(member)}`, rule.instead))
      for (const port of HANDED_ON)
        if (member.name === port.name && isLetOut(node) && !port.in.has(path))
          found.push(violation(node, `hands ${port.name} on`, port.instead))
    })
    return found
  })
}

function ownedBy({ of }: MemberRule, owners: string[]): boolean {
  return of === undefined || owners.some((owner) => of.test(owner))
}

function label({ name, node }: Member): string {
  return ts.isPropertyAccessExpression(node) ? node.getText().slice(0, 60) : `.${name}`
}

/** Whether something can be done is asked of the member itself, which is no use of it. */
function isComparedToNothing({ parent }: ts.Node): boolean {
  return (
    ts.isBinaryExpression(parent) &&
    /^[!=]==$/.test(parent.operatorToken.getText()) &&
    [parent.left, parent.right].some((side) => bare(side).getText() === 'undefined')
  )
}

/** Anything but reading a member of it at once: then nobody can tell from here what is done with it. */
function isLetOut(node: ts.Node): boolean {
  let at = node
  while (ts.isNonNullExpression(at.parent) || ts.isParenthesizedExpression(at.parent) || ts.isAsExpression(at.parent))
    at = at.parent
  const { parent } = at
  if ((ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) && parent.expression === at)
    return false
  if (ts.isBindingElement(node)) return !ts.isObjectBindingPattern(node.name)
  return !(ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name))
}
