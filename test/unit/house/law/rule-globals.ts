import ts from 'typescript'
import { CLOCKS, CONSOLES, FETCHES, PROCESSES } from './choke-points.ts'
import { FOLDERS, type Folder, folderOf, ROOTS } from './folders.ts'
import { own } from './own.ts'
import { pathOf, type Tree } from './sources.ts'
import { isValueName, memberAt, symbolOf, walk } from './syntax.ts'
import { type Violation, violation } from './violation.ts'

/** Methods of a date that depend on where the machine stands. */
const LOCAL =
  /^(get|set)(FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|TimezoneOffset)$|^toLocale(Date|Time)?String$/
const INSTEAD_OF_GLOBAL: Record<string, string> = {
  process:
    "Settings come from platform/config.ts, read once in a composition root; ending the process is the main's own",
  fetch: 'Requests to the world go through platform/egress; inside of the CLI through cli/api-client.ts',
  console: 'Log by the `log` that the process was started with; commands print by `io.out`',
  crypto: "Import what is needed from 'node:crypto' in platform, and take it as a port",
}

/** What a file reaches without importing it: by an allow-list, so that a new global of Node is not a way out. */
export function ruleOfGlobals({ code, checker }: Tree): Violation[] {
  return code.flatMap((file) => {
    const path = pathOf(file)
    const folder = FOLDERS[folderOf(path)]
    if (folder === undefined) return []
    const found: Violation[] = []
    walk(file, (node) => {
      if (folder.clock === 'argument' && readsZone(node))
        found.push(
          violation(
            node,
            `reads the clock or the zone of the machine (${node.getText().slice(0, 60)})`,
            'Use the UTC methods, or core/schedule/zone.ts for a zone that is named',
          ),
        )
      if (!isValueName(node) || symbolOf(node, checker) !== undefined) return
      found.push(...globalAt(node, path, folder, checker))
    })
    return found
  })
}

function readsZone(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return LOCAL.test(node.name.text)
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false
  // without a time they format the present one, without options they take the zone of the machine
  return (
    (node.arguments ?? []).length === 0 && /\.(format|formatToParts|DateTimeFormat)$/.test(node.expression.getText())
  )
}

function globalAt(node: ts.Identifier, path: string, folder: Folder, checker: ts.TypeChecker): Violation[] {
  const { text } = node
  if (text === 'process') return processAt(node, path)
  if (text === 'fetch' && FETCHES.has(path)) return []
  if (text === 'console' && CONSOLES.has(path)) return []
  if (!folder.globals.has(text))
    return [violation(node, `uses the global ${text}`, own(INSTEAD_OF_GLOBAL, text) ?? capital(folder.instead))]
  if (text === 'Date') return dateAt(node, path, folder, checker)
  if (text === 'Math') return chanceAt(node, path, checker)
  if (text === 'AbortSignal') return joinedAt(node, checker)
  return []
}

/** Node collects a timeout that only a joined signal refers to, and then it never fires. */
function joinedAt(node: ts.Identifier, checker: ts.TypeChecker): Violation[] {
  const member = memberAt(node.parent, checker)
  if (member?.object === node && member.name !== 'any') return []
  return [violation(node, 'joins signals (AbortSignal.any)', 'Pass one signal on, as activities/within.ts does')]
}

/** `process.pid` and the like where a process is at home; `process.env` and `process.exit` in roots alone. */
function processAt(node: ts.Identifier, path: string): Violation[] {
  const { parent } = node
  const member = ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : undefined
  if (ROOTS.has(path) || folderOf(path) === 'bench') return []
  if (member !== undefined && !/^(env|exit|getBuiltinModule|binding|dlopen)$/.test(member) && PROCESSES.has(path))
    return []
  return [violation(node, `uses the global process${member ? `.${member}` : ''}`, INSTEAD_OF_GLOBAL['process'] ?? '')]
}

/** `Date.parse`, `Date.UTC` and `new Date(something)` only compute; everything else tells the time or hides that it does. */
function dateAt(node: ts.Identifier, path: string, folder: Folder, checker: ts.TypeChecker): Violation[] {
  if (folder.clock === 'own' || ROOTS.has(path)) return []
  const { parent } = node
  const member = memberAt(parent, checker)
  const name = member?.object === node ? member.name : undefined
  if (name === 'parse' || name === 'UTC') return []
  if (ts.isNewExpression(parent) && parent.expression === node && givesTime(parent)) return []
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) return []
  if (folder.clock === 'workflow' && name === 'now' && ts.isCallExpression(parent.parent)) return []
  if (folder.clock === 'injected' && CLOCKS.has(path)) return []
  const instead = {
    argument: 'Take `now` as an argument',
    workflow: 'Call Date.now() itself, which Temporal replays, or let an activity tell',
    injected: 'Take `clock` from the context; a composition root gives it',
  }[folder.clock]
  return [violation(node, `reads the clock (${parent.getText().slice(0, 40)})`, instead)]
}

function givesTime({ arguments: given }: ts.NewExpression): boolean {
  const [first] = given ?? []
  return first !== undefined && !ts.isSpreadElement(first)
}

function chanceAt(node: ts.Identifier, path: string, checker: ts.TypeChecker): Violation[] {
  const member = memberAt(node.parent, checker)
  if (member?.object === node && member.name !== 'random') return []
  if (FOLDERS[folderOf(path)]?.clock === 'own') return []
  if (member !== undefined && CLOCKS.has(path)) return []
  return [
    violation(
      node,
      'uses chance (Math.random, or Math under another name)',
      'Ids come from platform/ids.ts; take any other chance as an argument',
    ),
  ]
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
