import { expect, it } from 'vitest'
import { RuleSpec } from '#core/trigger/rule-schema.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'

const filled = (line: (index: number) => string, bytes: number): string => {
  let text = ''
  for (let index = 0; text.length < bytes; index++) text += line(index)
  return text
}

/** Each is the worst of its kind for its size: unknown keys, repeated ones, broken syntax, many parts. */
const HOSTILE: [string, (bytes: number) => string][] = [
  ['unknown keys', (bytes) => filled((index) => `k${index}: 1\n`, bytes)],
  ['unknown keys below one', (bytes) => `match:\n  labels:\n${filled((index) => `    k${index}: 1\n`, bytes)}`],
  ['repeated keys', (bytes) => filled(() => 'k: 1\n', bytes)],
  ['wrong items', (bytes) => `match:\n  severity: [${filled(() => 'x, ', bytes)}x]\n`],
  ['unclosed quotes', (bytes) => filled(() => '"a": "\n', bytes)],
  ['unclosed lists', (bytes) => filled((index) => `k${index}: [\n`, bytes)],
  ['unknown tags', (bytes) => filled((index) => `k${index}: !x a\n`, bytes)],
  ['documents', (bytes) => filled(() => '---\na: 1\n', bytes)],
  ['comments', (bytes) => filled(() => '#\n', bytes)],
  ['dashes', (bytes) => filled(() => '- ', bytes)],
]

it.each(HOSTILE)('%s: at most 100 faults are told, each with its place, in little time', (_name, textOf) => {
  for (const bytes of [70 * 1024, 255 * 1024]) {
    const before = process.cpuUsage().user
    const parsed = parseDocument(RuleSpec, 'rule', new TextEncoder().encode(textOf(bytes)))
    const layer = parsePolicyYaml(textOf(bytes), { layer: 'console', source: 'policy' })
    // a process that does much else at the same time has a margin of ten
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(1_500)
    const faults = Array.isArray(parsed) ? parsed : []
    expect(faults.length).toBeLessThanOrEqual(100)
    for (const { problems } of layer.broken) expect(problems.length).toBeLessThanOrEqual(100)
    for (const { line } of faults) expect(line).toBeGreaterThan(0)
  }
})

it('finds the key of each of a hundred faults', () => {
  const text = `name: a\non: alert\nrun: p/t\nmatch: {}\ninputs: {}\n${filled((index) => `unknown_${index}: 1\n`, 1_000)}`
  const faults = parseDocument(RuleSpec, 'rule', new TextEncoder().encode(text))
  expect(Array.isArray(faults) && faults.map(({ line, column }) => [line, column])).toEqual(
    Array.from(text.matchAll(/^unknown_/gm), (_, index) => [6 + index, 1]),
  )
})

it('says from where a document is read no further', () => {
  const text = filled((index) => `k${index}: 1\n`, 70 * 1024)
  expect(parseDocument(RuleSpec, 'rule', new TextEncoder().encode(text))).toEqual([
    {
      file: 'rule',
      line: expect.any(Number),
      column: expect.any(Number),
      message: 'more than 10000 YAML tokens; shorten it or split it up',
    },
  ])
})
