import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOTS = [
  'core',
  'workflows',
  'activities',
  'services',
  'store',
  'platform',
  'workers',
  'api',
  'client',
  'cli',
  'console/src',
]

interface Found {
  at: string
  source: string
  flags: string
}

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : files(path)
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}

function literalsOf(path: string): Found[] {
  const tree = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const found: Found[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart())
      found.push({ at: `${path}:${line + 1}`, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** Texts that the parts of an expression may match, and those that nearly do. */
function seedsOf(source: string): string[] {
  const bare = source.replace(/\\[bBdDsSwWpP](\{[^}]*\})?|[\^$]/g, ' ')
  const plain = bare.match(/[A-Za-z0-9_#<>=:;,.@&%/"'`~!\-\u0080-\uffff]+/g) ?? []
  const chars = [...new Set(plain.join(''))].slice(0, 16)
  return [...new Set([...COMMON, ...chars, ...plain.slice(0, 4), ...chars.slice(0, 8).map((char) => `${char} `)])]
}

const COMMON = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  'a',
  '0',
  '.',
  '-',
  '/',
  '#',
  '<',
  '"',
  '\\',
  '(',
  ' \t',
  'a ',
  'a.',
  'aA0_',
  'T',
  '\u00a0',
]
const ENDS = ['', '!', '\rx', 'x\n']

/** What an expression may need before the part that goes back: each prefix of a text that it names. */
function startsOf(source: string): string[] {
  const [head = ''] = /^\^?[^\\[(.*+?{|$]*/.exec(source) ?? []
  const literal = head.replace('^', '')
  const texts = [...source.matchAll(/[A-Za-z<>#"'`:/@=-]+/g)].map(([text]) => text).slice(0, 2)
  return [...new Set(['', literal, ...texts])]
}

/** the shorter ones are for those that would never come back from the longest */
const LENGTHS = [28, 256, 1_024, 16_384]
/** of CPU; linear expressions take microseconds for the longest text */
const MAX_MS = 60

/** They read what only those write who run the place, and what is short. */
const EXCLUDED = new Set(['activities/operators/postgres/connection-target.ts'])

it('no regular expression of the product takes more than linear time, no matter what is pumped', {
  timeout: 300_000,
}, () => {
  const found = ROOTS.flatMap(files)
    .filter((path) => !EXCLUDED.has(path))
    .flatMap(literalsOf)
  expect(found.length).toBeGreaterThan(150)
  const unique = [...new Map(found.map((each) => [`${each.source}/${each.flags}`, each])).values()]
  expect(unique.flatMap((each) => slowOf(each))).toEqual([])
})

it('the pump finds those that go back', { timeout: 120_000 }, () => {
  for (const source of [
    '^ {0,3}(#{1,6})[ \\t]+(.*?)[ \\t]*#*[ \\t]*\\r?\\n?$',
    'T.*(Z|[+-]\\d\\d:\\d\\d)$',
    '^(a+)+$',
    '\\s+$',
  ])
    expect(slowOf({ at: 'here', source, flags: '' }), source).toHaveLength(1)
})

/** Where it takes long; at the first text that shows it. */
function slowOf({ at, source, flags }: Found): string[] {
  const expression = new RegExp(source, flags.replace('g', '').replace('y', ''))
  for (const start of startsOf(source))
    for (const seed of seedsOf(source))
      for (const end of ENDS) {
        const isSlow = (length: number, measure: (act: () => void) => number) => {
          const text = start + seed.repeat(length / seed.length) + end
          return measure(() => expression.test(text)) > MAX_MS
        }
        // the load of the machine, or the expression: a second time tells them apart
        if (LENGTHS.some((length) => isSlow(length, wallOf) && isSlow(length, cpuOf)))
          return [`${at} /${source}/${flags} takes long for ${JSON.stringify(start + seed)}… ${JSON.stringify(end)}`]
      }
  return []
}

function cpuOf(act: () => void): number {
  const before = process.cpuUsage().user
  act()
  return (process.cpuUsage().user - before) / 1_000
}

function wallOf(act: () => void): number {
  const before = performance.now()
  act()
  return performance.now() - before
}
