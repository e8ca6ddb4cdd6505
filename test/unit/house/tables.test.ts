import { expect, test } from 'vitest'
import { lineAt, PRODUCT, readFolders, type Source, withoutComments } from './sources.ts'
import { FUNCTIONS, TABLES } from './tables.ts'

const WRITES = /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?|copy)\s+(?:only\s+)?/gi
const NAME = /^(?:"?public"?\s*\.\s*)?"?(\w+)"?(?=[\s(;,'`*]|$)/i
/** `$` begins a hole in a template of ours, `%` in one of the database's. */
const HIDDEN = /^(?:"?public"?\s*\.\s*)?"?(?:\$\{|%)/i
const NO_FUNCTION = 'no function'

interface Use {
  path: string
  line: number
  name: string
  /** the function of the database that it stands in */
  within: string
}

/** The tables that a text writes; `?` where a hole stands in the place of the name. */
function writes(source: Source): Use[] {
  const code = withoutComments(source)
  return [...code.matchAll(WRITES)].flatMap(({ 0: verb, index }) => {
    const [rest = ''] = code.slice(index + verb.length).split(/[`;]/)
    if (!isStatement(verb, rest)) return []
    const name = HIDDEN.test(rest) ? '?' : NAME.exec(rest)?.[1]?.toLowerCase()
    return name === undefined ? [] : [place(source, code, index, name)]
  })
}

/** `update`, `copy` and `insert into` are words of English as well. */
function isStatement(verb: string, rest: string): boolean {
  if (/^update/i.test(verb)) return /\bset\b/i.test(rest)
  if (/^insert/i.test(verb)) return /\b(?:values|select)\b|\(|\$\{/i.test(rest)
  return !/^copy/i.test(verb) || /\bfrom\s+(?:stdin|program|')/i.test(rest)
}

function calls(source: Source, names: string[]): Use[] {
  const code = withoutComments(source)
  return [...code.matchAll(new RegExp(`(?<!\\bfunction\\s+)\\b(${names.join('|')})\\s*\\(`, 'gi'))].map(
    ({ 1: name = '', index }) => place(source, code, index, name.toLowerCase()),
  )
}

function place({ path }: Source, code: string, at: number, name: string): Use {
  return { path, line: lineAt(code, at), name, within: path.endsWith('.sql') ? functionAt(code, at) : NO_FUNCTION }
}

/** The function whose body the place is in. A body ends where its own dollar quote does. */
function functionAt(code: string, at: number): string {
  const heads = [
    ...code.matchAll(/\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?:public\s*\.\s*)?"?(\w+)"?/gi),
  ]
  const head = heads.findLast(({ index }) => index < at)
  const quote = head && /\$\w*\$/.exec(code.slice(head.index))
  if (!head || !quote) return NO_FUNCTION
  const begin = head.index + quote.index + quote[0].length
  const end = code.indexOf(quote[0], begin)
  return at >= begin && (end === -1 || at < end) ? (head[1] ?? '') : NO_FUNCTION
}

/** Every use that is not allowed, and the permissions of files that nothing made use of. */
function check(rules: typeof TABLES, what: string, uses: Use[]): { found: string[]; unused: string[] } {
  const wrong = uses.filter(({ name, path, within }) => {
    if (name === '?') return true
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined || rule.in?.includes(path)) return false
    return path.endsWith('.sql') ? rule.by !== undefined && !rule.by.includes(within) : true
  })
  const used = new Set(uses.map(({ name, path }) => `${name}: ${path}`))
  return {
    found: wrong.map(({ name, path, line, within }) => {
      const fix = rules[name]?.fix ?? 'Write the name of the table out, so that it can be read what is written'
      const list = path.endsWith('.sql') ? ' A function that may is listed in test/unit/house/tables.ts.' : ''
      return `${path}:${line} ${what} ${name} in ${within}. ${fix}.${list}`
    }),
    unused: Object.entries(rules)
      .flatMap(([name, rule]) => (rule.in ?? []).map((path) => `${name}: ${path}`))
      .filter((each) => !used.has(each)),
  }
}

const sources = readFolders([...PRODUCT, 'bench'])
const tables = check(TABLES, 'writes', sources.flatMap(writes))
const functions = check(
  FUNCTIONS,
  'calls',
  sources.flatMap((source) => calls(source, Object.keys(FUNCTIONS))),
)

test('tables behind a choke point are written by the files and functions that are listed', () => {
  expect(tables.found).toEqual([])
})

test('their functions are called by the files and functions that are listed', () => {
  expect(functions.found).toEqual([])
})

test('a permission that nobody needs any more is removed', () => {
  expect([...tables.unused, ...functions.unused]).toEqual([])
})

test('a write is found in any spelling, and English is none', () => {
  const hole = '$' + '{'
  const names = (text: string, path = 'store/x.ts') => writes({ path, text }).map(({ name, within }) => [name, within])
  expect(names('db`UPDATE\n  public."gates" SET a = 1`')).toEqual([['gates', NO_FUNCTION]])
  expect(names(`db\`with v as (insert into runs ${hole}row}) delete from only gates\``)).toEqual([
    ['runs', NO_FUNCTION],
    ['gates', NO_FUNCTION],
  ])
  expect(names(`db\`insert into ${hole}table} values (1)\``)).toEqual([['?', NO_FUNCTION]])
  expect(names(`'copy runs by hand, update the gates' + \`could not update ${hole}name}\``)).toEqual([])
  const body = 'create function f() returns void as $f$ begin delete from gates; end $f$;\ntruncate runs;'
  expect(names(body, 'store/migrations/x.sql')).toEqual([
    ['gates', 'f'],
    ['runs', NO_FUNCTION],
  ])
})
