import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeIn, codeLines, PAGES, ROOT } from './pages.ts'

const current = PAGES.filter((page) => page !== 'CHANGELOG.md')
const scripts = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts)
const BUILT_IN = ['ci', 'install', 'start', 'test', 'init', 'i', 'link']

/** What `--help` says of each command, as it is pinned: the name to the text. */
const HELP = new Map(
  readFileSync(join(ROOT, 'test/pins/cli.txt'), 'utf8')
    .split(/^Usage: /m)
    .slice(1)
    .map((text): [string, string] => [text.match(/^svc(?: [a-z][a-z-]*)*/)?.[0] ?? '', text]),
)

/** Every call of ours on a line: `svc run … -i url=…`, up to what a shell would make a command of its own. */
function callsOf(line: string): string[][] {
  const command = line.replace(/(^|\s)#.*$/, '')
  return [...command.matchAll(/(?:^|[\s($])(?:npx )?(svc [^|;&<>\\]*)/g)]
    .map(([, call = '']) =>
      call
        .replace(/"[^"]*"|'[^']*'/g, 'x')
        .trim()
        .split(/\s+/),
    )
    .filter(([, first = '']) => /^[a-z-]/.test(first))
}

function faultOf(words: string[]): string | undefined {
  let depth = words.length
  while (depth > 1 && !HELP.has(words.slice(0, depth).join(' '))) depth -= 1
  const command = words.slice(0, depth).join(' ')
  const help = HELP.get(command) ?? ''
  // one that takes an argument as well, such as `svc run`, may be followed by any word
  const isGroup = /^Commands:/m.test(help) && !/^Arguments:/m.test(help)
  if (isGroup && depth < words.length && /^[a-z]/.test(words[depth] ?? '')) return `${words.join(' ')}: no such command`
  const options = words.slice(depth).flatMap((word) => word.match(/^--?[a-zA-Z][a-z-]*/)?.[0] ?? [])
  const unknown = options.filter((option) => !new RegExp(`(^|[\\s,])${option}([\\s,]|$)`, 'm').test(help))
  return unknown.length === 0 ? undefined : `${words.join(' ')}: ${command} has no ${unknown.join(', ')}`
}

test.each(current)('every command of ours that %s shows is one, with options that it has', (page) => {
  const calls = [...codeIn(page), ...codeLines(page)].flatMap(callsOf)
  expect(calls.flatMap((call) => faultOf(call) ?? [])).toEqual([])
})

test.each(current)('every script that %s runs is one of package.json', (page) => {
  const lines = [...codeIn(page), ...codeLines(page)]
  const names = lines.flatMap((line) =>
    [...line.matchAll(/\bnpm (?:run (?:--?\w+ )*)?([a-z:]+)\b/g)].map(([, name = '']) => name),
  )
  expect(names.filter((name) => ![...scripts, ...BUILT_IN].includes(name))).toEqual([])
})

test('what is not a command, and what is not an option, is found', () => {
  expect(callsOf('npx svc halt --for ever').map(faultOf)).toEqual(['svc halt --for ever: svc halt has no --for'])
  expect(callsOf('npx svc remote agree $RUN').map(faultOf)).toEqual(['svc remote agree $RUN: no such command'])
  expect(callsOf('npx svc halt --reason "x y" && svc lineage $RUN').flatMap((call) => faultOf(call) ?? [])).toEqual([])
})
