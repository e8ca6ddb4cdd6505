import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { readFolders } from '../house/sources.ts'

const FOLDERS = [
  'activities',
  'api',
  'bench',
  'cli',
  'client',
  'console',
  'core',
  'platform',
  'services',
  'store',
  'test',
  'workers',
  'workflows',
]

/** The words in an identifier, in lower case: `toldGates` has `told` and `gates`. */
function wordsOf(identifier: string): string[] {
  return identifier
    .split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .map((word) => word.toLowerCase().replace(/(ed|s)$/, ''))
}

/** Names that stand in databases, and are not changed with the words of the code. */
const KEPT = ['refusals_told']

function identifiersOf(path: string, text: string): Set<string> {
  const found = new Set<string>()
  const code = path.endsWith('.sql') ? text.replaceAll(/--.*$/gm, '') : text
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, code, ts.ScriptTarget.Latest))
  return found
}

test('the glossary has the words of the other pages once each, in order', () => {
  const page = readFileSync(new URL('../../../docs/glossary.md', import.meta.url), 'utf8')
  const [table = ''] = page.split('\n## Words that are not ours\n')
  const terms = Array.from(table.matchAll(/^\| (?!term |-)([^|]+) \|/gm), ([, term = '']) => term.trim())
  const sorted = [...new Set(terms)].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
  expect(terms).toEqual(sorted)
  const wanted = [
    'grant',
    'API key',
    'scope',
    'evidence',
    'finding',
    'notice',
    'notice delivery',
    'delivery',
    'recipient',
  ]
  expect(terms).toEqual(expect.arrayContaining(wanted))
})

test('words that the glossary calls not ours are in no name of the code', () => {
  const page = readFileSync(new URL('../../../docs/glossary.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('\n## Words that are not ours\n')
  const refused = Array.from(table.matchAll(/^\| (?!not |-)([^|]+) \|/gm), ([, cell = '']) => cell.trim())
    .flatMap((cell) => cell.split(', '))
    .map((term) =>
      term
        .split(' ')
        .map((word) => word.replace(/(ed|s)$/, ''))
        .join(' '),
    )
  expect(refused).toEqual(expect.arrayContaining(['veil', 'told', 'lin up']))
  // taking a file apart costs much more than looking whether a word is in it at all
  const stems = refused.map((term) => term.split(' ')[0] ?? term)
  const suspects = readFolders(FOLDERS).filter(({ text }) => stems.some((stem) => text.toLowerCase().includes(stem)))
  const breaches = suspects.flatMap(({ path, text }) =>
    [...identifiersOf(path, text)]
      .filter((name) => !KEPT.includes(name))
      .filter((name) => refused.some((term) => ` ${wordsOf(name).join(' ')} `.includes(` ${term} `)))
      .map((name) => `${path}: ${name}`),
  )
  expect(breaches).toEqual([])
})
