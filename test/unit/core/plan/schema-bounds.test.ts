import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { checkAnswer } from '#activities/operators/llm/model-answer.ts'
import type { JsonObject } from '#core/json/json.ts'
import { defaultFaults } from '#core/plan/default-faults.ts'
import { compileSchema } from '#core/plan/json-schema.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'

/** What a schema of at most 10 kB may take: the worst of those that are let through takes a tenth. */
const MAX_CPU_MS = 4_000

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
    expect(refused).toBeLessThan(MAX_CPU_MS)
  })

  test('is compiled once, however often it is referred to: 8 kB took 13 s', () => {
    const schema = {
      $defs: { a: wide(250) },
      properties: Object.fromEntries(times(180, (i) => [`p${i}`, { $ref: '#/$defs/a' }])),
    }
    expect(JSON.stringify(schema).length).toBeLessThan(10_000)
    expect(cpuOf(() => compileSchema(schema))).toBeLessThan(MAX_CPU_MS)
    expect(compileSchema(schema)({ p0: 249, p179: 1 })).toBe(true)
    expect(compileSchema(schema)({ p0: 249, p179: 250 })).toBe(false)
  })

  test.each<[string, JsonObject, string[]]>([
    ['beside 300 alternatives', { properties: { a: wide(300), n: { type: 'integer', default: 'many' } } }, ['n']],
    [
      'beside patterns',
      { patternProperties: { '.*': { type: 'string' } }, properties: { n: { maxLength: 1, default: 'many' } } },
      ['n'],
    ],
    [
      'that the root would judge otherwise',
      {
        allOf: [{ additionalProperties: { type: 'object' } }],
        properties: { o: { properties: { n: { type: 'integer', default: 3 } } } },
      },
      [],
    ],
  ])('a default %s is held against its own schema', (_, schema, wrong) => {
    expect(defaultFaults(schema, []).map(({ path }) => path)).toEqual(
      wrong.map((name) => ['properties', name, 'default']),
    )
  })

  test('a default that fills itself in without end is a fault, and no crash', () => {
    const a = { properties: { a: { $ref: '#/$defs/a', default: {} } }, additionalProperties: false }
    expect(
      defaultFaults({ $defs: { a }, properties: { first: { $ref: '#/$defs/a', default: {} } } }, []),
    ).toContainEqual({
      path: ['properties', 'first', 'default'],
      key: false,
      message: 'default fills itself in without end: its schema refers to itself',
    })
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

describe('a schema that calls itself as another', () => {
  const META = 'https://json-schema.org/draft/2020-12/schema'

  test.each([{}, { foreign: true }])('changes nothing for the schemas after it: %j', (options) => {
    expect(compileSchema({ $id: META, type: 'object', title: JSON.stringify(options) }, options)({})).toBe(true)
    const next: JsonObject = { $schema: META, properties: { a: { type: 'string' } }, title: JSON.stringify(options) }
    expect(compileSchema(next, options)({ a: 1 })).toBe(false)
    expect(() => compileSchema({ type: 'strin', title: JSON.stringify(options) }, options)).toThrow('valid JSON Schema')
  })

  test.each<[string, JsonObject]>([
    ['a member', { properties: { a: { $id: META, type: 'string' } } }],
    ['a definition', { $defs: { a: { $id: 'https://svc.example.test/a', type: 'string' } } }],
    ['what is behind a word that nobody knows', { unknown: { a: { $id: 'https://svc.example.test/a' } } }],
  ])('is refused where it names %s', (_, schema) =>
    expect(() => compileSchema(schema, { foreign: true })).toThrow('has an $id inside'),
  )

  test('is no member of this name', () => {
    const schema = { properties: { $id: { type: 'string' } } }
    expect(compileSchema(schema, { foreign: true })({ $id: 1 })).toBe(false)
  })
})

/** Each of very many members breaks each of very many alternatives. */
describe('an answer with millions of faults', () => {
  const costly = { items: { anyOf: times(490, (i) => ({ const: i })) } }
  const answer = times(20_000, () => 'x')

  test('that a server gives is refused at the first', () =>
    expect(cpuOf(() => expect(compileSchema(costly, { foreign: true })(answer)).toBe(false))).toBeLessThan(1_000))
  test('that a model gives is refused at the first', () =>
    expect(cpuOf(() => expect(checkAnswer(answer, { schema: costly }).faults).toBeDefined())).toBeLessThan(1_000))
  test('that a person gives is refused at the first', () =>
    expect(
      cpuOf(() => expect(validateInputs({ properties: { list: costly } }, { list: answer }).valid).toBe(false)),
    ).toBeLessThan(1_000))
})

test('a schema is forgotten some time after it was compiled', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // too long to be kept for the next who asks
  const large = (i: number): JsonObject => ({ title: `${i} ${'x'.repeat(10_000)}`, default: { i } })
  const compiled = (schema: JsonObject) => {
    const { schema: kept } = compileSchema(schema)
    return new WeakRef(kept as JsonObject)
  }
  const first = compiled(large(0))
  for (let i = 1; i <= 201; i += 1) compiled(large(i))
  return new Promise<void>((resume) => setImmediate(resume)).then(() => {
    collect()
    expect(first.deref()).toBeUndefined()
  })
})
