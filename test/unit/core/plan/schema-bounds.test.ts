import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import { defaultFaults } from '#core/plan/default-faults.ts'
import { compileSchema } from '#core/plan/json-schema.ts'

/** What a schema of at most 10 kB may take: the worst of those that are let through takes a tenth. */
const MOST_CPU_MS = 4_000

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const nested = (depth: number): JsonObject =>
  times(depth, (i) => i).reduce((inner: JsonObject) => ({ oneOf: [inner] }), {})
const wide = (width: number): JsonObject => ({ oneOf: times(width, (i) => ({ const: i })) })

function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('a schema that would hold everybody else up', () => {
  test.each<[string, JsonObject, string]>([
    ['alternatives in alternatives', nested(400), 'nested deeper than 100 levels'],
    ['very many alternatives', wide(600), 'more than 500 alternatives and conditions'],
    ['very many conditions', { allOf: times(300, () => ({ not: { minimum: 1 } })) }, 'more than 500'],
    ['a very long pattern', { pattern: 'a{1000}'.repeat(1_000) }, 'a pattern is longer than 2000 characters'],
    [
      'many patterns that repeat much',
      { allOf: times(400, (i) => ({ pattern: `\\pL{${500 + i}}` })) },
      'its patterns repeat too much',
    ],
  ])('is refused: %s', (_, schema, why) => {
    const refused = cpuOf(() => expect(() => compileSchema(schema)).toThrow(why))
    expect(refused).toBeLessThan(MOST_CPU_MS)
  })

  test('is compiled once, however often it is referred to: 8 kB took 13 s', () => {
    const schema = {
      $defs: { a: wide(250) },
      properties: Object.fromEntries(times(180, (i) => [`p${i}`, { $ref: '#/$defs/a' }])),
    }
    expect(JSON.stringify(schema).length).toBeLessThan(10_000)
    expect(cpuOf(() => compileSchema(schema))).toBeLessThan(MOST_CPU_MS)
    expect(compileSchema(schema)({ p0: 249, p179: 1 })).toBe(true)
    expect(compileSchema(schema)({ p0: 249, p179: 250 })).toBe(false)
  })

  test('is compiled once, however many defaults refer to it', () => {
    const schema = {
      $defs: { a: wide(250) },
      properties: Object.fromEntries(times(180, (i) => [`p${i}`, { $ref: '#/$defs/a', default: i === 7 ? 250 : i }])),
    }
    let faults: unknown
    expect(cpuOf(() => (faults = defaultFaults(schema, ['inputs'])))).toBeLessThan(MOST_CPU_MS)
    expect(faults).toEqual([expect.objectContaining({ path: ['inputs', 'properties', 'p7', 'default'] })])
  })

  test('a default is held against what stands elsewhere in its document', () => {
    const schema = { properties: { 'a/b %': { maximum: 5 }, c: { $ref: '#/properties/a~1b%20%25', default: 6 } } }
    expect(defaultFaults(schema, [])).toEqual([expect.objectContaining({ path: ['properties', 'c', 'default'] })])
  })

  test('the bounds let through what people write', () => {
    expect(compileSchema(nested(45))({})).toBe(true)
    expect(compileSchema(wide(500))(499)).toBe(true)
    expect(compileSchema({ pattern: '^[a-z0-9-]{1,253}$' })('a'.repeat(253))).toBe(true)
    expect(compileSchema({ enum: times(5_000, (i) => i) })(4_999)).toBe(true)
  })
})

describe('a default in a schema that may fail', () => {
  const limited = { required: ['kind'], properties: { kind: { const: 'a' }, limit: { default: 10 } } }
  const other = { required: ['kind'], properties: { kind: { const: 'b' } }, additionalProperties: false }
  test.each<[string, JsonObject]>([
    ['in place', { oneOf: [limited, other] }],
    [
      'behind a reference',
      { $defs: { limited, other }, oneOf: [{ $ref: '#/$defs/limited' }, { $ref: '#/$defs/other' }] },
    ],
    [
      'behind two',
      { $defs: { limited, deep: { allOf: [{ $ref: '#/$defs/limited' }] } }, not: { $ref: '#/$defs/deep' } },
    ],
    ['in itself', { properties: { limit: { default: 1 }, inner: { anyOf: [{ $ref: '#' }] } } }],
  ])('is refused: %s', (_, schema) => {
    expect(() => compileSchema(schema)).toThrow(/default/)
  })

  test('is taken where it is certain, and a member of that name anywhere', () => {
    const named = { properties: { default: { type: 'string' } } }
    const schema = { $defs: { limited }, allOf: [{ $ref: '#/$defs/limited' }], anyOf: [named] }
    const value = { kind: 'a' }
    expect(compileSchema(schema)(value)).toBe(true)
    expect(value).toEqual({ kind: 'a', limit: 10 })
  })
})

test('a schema is forgotten some time after it was compiled', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // too long to be kept for the next who asks
  const large = (i: number): JsonObject => ({ title: `${i} ${'x'.repeat(10_000)}`, default: { i } })
  const compiled = (schema: JsonObject) => {
    compileSchema(schema)
    return new WeakRef(schema)
  }
  const first = compiled(large(0))
  for (let i = 1; i <= 201; i += 1) compiled(large(i))
  return new Promise<void>((resume) => setImmediate(resume)).then(() => {
    collect()
    expect(first.deref()).toBeUndefined()
  })
})
