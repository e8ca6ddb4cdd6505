import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { silentPattern } from '#core/bus/known-topics.ts'
import { matchTopics, parseTopic } from '#core/bus/topic.ts'

const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/)
const words = fc.array(word, { minLength: 1, maxLength: 6 })
const fits = (pattern: string, topic: string) => matchTopics([pattern])(topic)

describe('a topic pattern', () => {
  test.each([
    ['run.succeeded', 'run.succeeded', true],
    ['run.succeeded', 'run.succeeded.late', false],
    ['run.*', 'run.failed', true],
    ['run.*', 'run', false],
    ['run.*', 'run.a.b', false],
    ['*.failed', 'run.failed', true],
    ['pack.*.created', 'pack.shop.created', true],
    ['pack.>', 'pack.shop.created', true],
    ['pack.#', 'pack.shop.created', true],
    ['pack.>', 'pack', false],
    ['pack.>', 'packs.shop', false],
    ['>', 'run', true],
    ['#', 'pack.shop.order.created', true],
    ['run.*', 'RUN.failed', false],
  ])('%s on %s: %s', (pattern, topic, answer) => {
    expect(fits(pattern, topic)).toBe(answer)
  })

  test.each(['', '.', 'run.', '.run', 'run..x', 'run.>.x', '#.x', 'run.f*', 'run. x', 'run.ü', `${'x'.repeat(256)}`])(
    'is not: "%s"',
    (pattern) => {
      expect(() => matchTopics([pattern])).toThrow(expect.objectContaining({ code: 'validation_failed' }))
    },
  )

  test('that is a topic fits that topic alone', () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        expect(fits(a.join('.'), b.join('.'))).toBe(a.join('.') === b.join('.'))
      }),
    )
  })

  test('with * for any of its words still fits, and one word more or less does not', () => {
    fc.assert(
      fc.property(words, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (topic, starred) => {
        const pattern = topic.map((each, index) => (starred[index] ? '*' : each)).join('.')
        expect(fits(pattern, topic.join('.'))).toBe(true)
        expect(fits(pattern, [...topic, 'more'].join('.'))).toBe(false)
        expect(fits(`${pattern}.*`, topic.join('.'))).toBe(false)
      }),
    )
  })

  test('that ends in > or # fits every longer topic with its beginning, and not that beginning', () => {
    fc.assert(
      fc.property(words, words, fc.constantFrom('>', '#'), (head, tail, rest) => {
        const pattern = `${head.join('.')}.${rest}`
        expect(fits(pattern, [...head, ...tail].join('.'))).toBe(true)
        expect(fits(pattern, head.join('.'))).toBe(false)
      }),
    )
  })

  test('among several: one that fits is enough, and none fits nothing', () => {
    expect(matchTopics(['gate.*', 'run.failed'])('run.failed')).toBe(true)
    expect(matchTopics(['gate.*', 'run.failed'])('run.queued')).toBe(false)
    expect(matchTopics([])('run.queued')).toBe(false)
  })
})

describe('a topic', () => {
  test('is words set apart by dots', () => {
    fc.assert(fc.property(words, (topic) => void expect(parseTopic(topic.join('.'))).toEqual(topic)))
  })

  test.each(['', 'run.*', 'run.>', '#', 'a b', 'run..x', 'run/x'])('is not: "%s"', (text) => {
    expect(() => parseTopic(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })
})

test('no pattern that matches what the docs of the bus list is called unmatchable', () => {
  const table = readFileSync('docs/bus.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const topics = table.flatMap((line) =>
    Array.from(line.split('|')[1]?.matchAll(/`([a-z_]+\.[\w.<>]+)`/g) ?? [], ([, topic = '']) => topic),
  )
  expect(topics).toContain('ask.answered')
  expect(topics.map(silentPattern).filter((each) => each !== undefined)).toEqual([])
  expect(silentPattern('ask.asked')).toContain('no event has the topic')
})
