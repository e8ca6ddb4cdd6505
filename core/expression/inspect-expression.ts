import type { ASTNode } from '@marcbachmann/cel-js'
import type { UsedMembers } from './cel-value.ts'
import { expressionError } from './expression-error.ts'

/** A use of a variable: its name, then the members that follow it in the text (`steps`, `evidence`, `outputs`). */
export interface Reference {
  path: string[]
  /** offset in the expression */
  offset: number
}

const LOOPS = new Set(['map', 'filter', 'all', 'exists', 'exists_one', 'existsOne'])
const MAX_NESTING = 2

/** Finds what an expression refers to and refuses what could stall a process. Must see the tree before it is checked. */
export function inspectExpression(text: string, root: ASTNode, isConstant: (name: string) => boolean): Reference[] {
  const references: Reference[] = []
  visit(root, new Set(), 0)
  return references

  function visit(node: ASTNode, bound: ReadonlySet<string>, nesting: number): void {
    const path = memberPath(node)
    const name = path?.[0]
    if (path !== undefined && name !== undefined) {
      if (!bound.has(name) && !isConstant(name)) references.push({ path, offset: node.start })
      return
    }
    refuseRounded(node)
    if (node.op === 'call') visitCall({ name: node.args[0], args: node.args[1], at: node.start }, bound, nesting)
    else if (node.op === 'rcall')
      visitCall({ name: node.args[0], receiver: node.args[1], args: node.args[2], at: node.start }, bound, nesting)
    else for (const child of children(node)) visit(child, bound, nesting)
  }

  /** Inputs keep such an integer as text, which no number equals: `!(id in [9007199254740993])` would always hold. */
  function refuseRounded(node: ASTNode): void {
    if (node.op !== '==' && node.op !== '!=' && node.op !== 'in') return
    const beyond = node.args.find(isBeyond)
    if (beyond === undefined || node.args.some(isCallOfInt)) return
    const message =
      'an integer beyond 2^53 arrives as text, which no number equals: compare text with text, "9007199254740993", or say int(…)'
    throw expressionError(text, message, beyond.start)
  }

  function visitCall(
    { name, receiver, args, at }: { name: string; receiver?: ASTNode; args: ASTNode[]; at: number },
    bound: ReadonlySet<string>,
    nesting: number,
  ): void {
    if (name === 'matches') {
      const message =
        '`matches` is not available, a pattern can take forever; use contains, startsWith, endsWith or `in`'
      throw expressionError(text, message, at)
    }
    if (receiver !== undefined) visit(receiver, bound, nesting)
    const variable = args[0]
    const isLoop = LOOPS.has(name) && receiver !== undefined && args.length > 1
    if (variable?.op !== 'id' || !(isLoop || (name === 'bind' && receiver !== undefined))) {
      for (const arg of args) visit(arg, bound, nesting)
      return
    }
    if (nesting + 1 > MAX_NESTING) {
      throw expressionError(text, `${name} stands more than ${MAX_NESTING} levels deep inside other loops`, at)
    }
    const inner = new Set([...bound, variable.args])
    for (const arg of args.slice(1)) visit(arg, inner, nesting + 1)
  }
}

/** Returns the members that an expression uses, as a tree: other members need no conversion. */
export function usedMembers(references: Reference[]): UsedMembers {
  const root: UsedMembers = { all: false, members: new Map() }
  for (const { path } of references) {
    let node = root
    for (const member of path) {
      const next: UsedMembers = node.members.get(member) ?? { all: false, members: new Map() }
      node.members.set(member, next)
      node = next
    }
    node.all = true
  }
  return root
}

/** `a.b["c"].?d` as names; undefined when the node is something else. */
function memberPath(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return [node.args]
  if (node.op === '.' || node.op === '.?') return extended(node.args[0], node.args[1])
  if (node.op === '[]' || node.op === '[?]') {
    const index = node.args[1]
    return index.op === 'value' && typeof index.args === 'string' ? extended(node.args[0], index.args) : undefined
  }
  return undefined
}

function extended(receiver: ASTNode, member: unknown): string[] | undefined {
  const path = memberPath(receiver)
  return path === undefined || typeof member !== 'string' ? undefined : [...path, member]
}

function isBeyond(node: ASTNode): boolean {
  if (node.op === 'list') return node.args.some(isBeyond)
  if (node.op === '-_') return isBeyond(node.args)
  return node.op === 'value' && typeof node.args === 'bigint' && node.args > Number.MAX_SAFE_INTEGER
}

function isCallOfInt(node: ASTNode): boolean {
  return node.op === 'call' && node.args[0] === 'int'
}

function children(node: ASTNode): ASTNode[] {
  const found: ASTNode[] = []
  collect(node.args, found)
  return found
}

function collect(value: unknown, found: ASTNode[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, found)
  else if (isNode(value)) found.push(value)
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value
}
