import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { jsonPointer, valueAt } from '#core/json/json.ts'
import { MAX_DEPTH, MAX_VALUES, parseForeignJson, parseJson } from '#core/json/parse-json.ts'

/** `KEPT_EXACTLY_CASES=1000000` is the whole proof. */
const CASES = Number(process.env['KEPT_EXACTLY_CASES'] ?? 1_000)

describe('JSON from outside', () => {
  it('is what it says, with blanks, escapes and signs of JSON within its strings', () => {
    const strings = fc.string({ unit: fc.constantFrom(...'ab,:[]{}"\\ \n\u2028é😀') })
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.dictionary(strings, strings),
        fc.nat(4),
        (one, two, indent) => {
          for (const value of [one, two]) {
            const text = JSON.stringify(value, null, indent)
            // long numbers are judged below
            if (!/\d{16}|\de/.test(text)) expect(parseJson(text)).toEqual(JSON.parse(text))
          }
        },
      ),
    )
  })

  it('is refused as JSON.parse refuses it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{},:"\\01 tn') }), (text) => {
        const outcome = (read: (text: string) => unknown) => {
          try {
            return { value: read(text) }
          } catch (error) {
            return { name: (error as Error).name }
          }
        }
        expect(outcome(parseJson)).toEqual(outcome(JSON.parse))
        expect(outcome(parseForeignJson)).toEqual(outcome(JSON.parse))
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['nested lists', (n: number) => '['.repeat(n) + ']'.repeat(n), MAX_DEPTH],
    ['nested objects', (n: number) => `${'{"a":'.repeat(n - 1)}{}${'}'.repeat(n - 1)}`, MAX_DEPTH],
    ['a list of numbers', (n: number) => `[${Array(n - 1).fill(0)}]`, MAX_VALUES],
    ['a list of empty objects', (n: number) => `[${Array(n).fill('{}')}]`, MAX_VALUES / 2 - 1],
    [
      'an object of many keys',
      (n: number) => `{${Array.from({ length: n / 2 }, (_, at) => `"${at}":0`)}}`,
      MAX_VALUES - 1,
    ],
  ])('%s is read up to the limit, and no further', (_, text, most) => {
    expect(() => parseJson(text(most))).not.toThrow()
    expect(() => parseJson(text(most + 2))).toThrow(expect.objectContaining({ code: 'malformed_body' }))
  })

  it('is refused where a decimal is too small for a double', () => {
    for (const zeros of [322, 400]) {
      expect(() => parseJson(`[0.${'0'.repeat(zeros)}12345]`)).toThrow('send it as text')
      expect(parseForeignJson(`[0.${'0'.repeat(zeros)}12345]`)).toEqual([`0.${'0'.repeat(zeros)}12345`])
    }
    expect(parseJson(`[0.${'0'.repeat(400)}]`)).toEqual([0])
  })

  it('is not parsed where five megabytes of it would be refused', () => {
    const bytes = 5 * 1_024 * 1_024
    for (const text of ['['.repeat(bytes), '{},'.repeat(bytes / 3), '"a":'.repeat(bytes / 4)])
      expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'malformed_body' }))
  })
})

/** The value of a decimal literal: digits times a power of ten, without a rounding. */
function exactly(literal: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const digits = BigInt(whole + fraction)
  if (digits === 0n) return '0'
  const text = String(digits)
  const short = text.replace(/0+$/, '')
  return `${sign}${short}e${Number(power) - fraction.length + text.length - short.length}`
}

/** By the definition, apart from the code: what a double holds, and not beyond the safe integers. */
function isKept(literal: string): boolean {
  if (/^-?\d+$/.test(literal)) return BigInt(literal) <= 2n ** 53n - 1n && BigInt(literal) >= 1n - 2n ** 53n
  const value = Number(literal)
  return Number.isFinite(value) && exactly(value.toString().replace('e+', 'e')) === exactly(literal)
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`))
const integer = fc.oneof(
  fc.bigInt({ min: 2n ** 53n - 20n, max: 2n ** 53n + 20n }).map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.integer().map(String),
)
const literals = fc.oneof(
  integer,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toPrecision(17)),
  fc.tuple(integer, digits(22)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc
    .tuple(
      integer,
      fc.option(digits(18)),
      fc.constantFrom('e', 'E'),
      fc.constantFrom('', '+', '-'),
      fc.integer({ min: 0, max: 400 }),
    )
    .map(
      ([whole, fraction, e, sign, power]) => `${whole}${fraction === null ? '' : `.${fraction}`}${e}${sign}${power}`,
    ),
)

interface Sent {
  text: string
  /** where each number stands, and how it was written */
  numbers: { path: (string | number)[]; literal: string }[]
}

const blank = fc.constantFrom('', '', ' ', '\n ')
const key = fc.string({ unit: fc.constantFrom(...'ab/~"\\1: e'), maxLength: 4 })
const { sent } = fc.letrec<{ sent: Sent }>((tie) => ({
  sent: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literals.map((literal) => ({ text: literal, numbers: [{ path: [], literal }] })),
    fc
      .oneof(
        fc.constantFrom('null', 'true', 'false'),
        fc.oneof(key, literals).map((text) => JSON.stringify(text)),
      )
      .map((text) => ({ text, numbers: [] })),
    fc.tuple(fc.array(tie('sent'), { maxLength: 4 }), blank).map(([items, space]) => ({
      text: `[${items.map(({ text }) => `${space}${text}`).join(`${space},`)}${space}]`,
      numbers: items.flatMap(({ numbers }, at) =>
        numbers.map(({ path, literal }) => ({ path: [at, ...path], literal })),
      ),
    })),
    fc
      .tuple(fc.uniqueArray(fc.tuple(key, tie('sent')), { selector: ([name]) => name, maxLength: 4 }), blank)
      .map(([members, space]) => ({
        text: `{${members.map(([name, { text }]) => `${JSON.stringify(name)}${space}:${space}${text}${space}`).join(`,${space}`)}}`,
        numbers: members.flatMap(([name, { numbers }]) =>
          numbers.map(({ path, literal }) => ({ path: [name, ...path], literal })),
        ),
      })),
  ),
}))

const refused = (text: string) => {
  try {
    parseJson(text)
    return []
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    expect(error.code).toBe('validation_failed')
    return (error.details.errors ?? []).map(({ pointer }) => pointer)
  }
}

describe('a number', () => {
  it('of a request is what was sent, or is refused where it stands', () => {
    fc.assert(
      fc.property(sent, ({ text, numbers }) => {
        const wrong = numbers.filter(({ literal }) => !isKept(literal)).map(({ path }) => jsonPointer(path))
        expect(refused(text)).toEqual(wrong.slice(0, 100))
        if (wrong.length > 0) return
        const value = parseJson(text)
        for (const { path, literal } of numbers)
          expect(exactly(String(valueAt(value, path)).replace('e+', 'e'))).toBe(exactly(literal))
      }),
      { numRuns: CASES },
    )
  })

  it('of another system is what was sent, as a number or as its text', () => {
    fc.assert(
      fc.property(sent, ({ text, numbers }) => {
        const value = parseForeignJson(text)
        const given: unknown = JSON.parse(text)
        for (const { path, literal } of numbers)
          expect(valueAt(value, path)).toBe(isKept(literal) ? valueAt(given, path) : literal)
      }),
      { numRuns: CASES },
    )
  })

  it.each([
    ['9007199254740991', true],
    ['-9007199254740991', true],
    ['9007199254740992', false],
    ['-9007199254740993', false],
    ['1184467440737095516', false],
    ['100000000000000000000', false],
    ['1e20', true],
    ['1.50', true],
    ['0.1', true],
    ['0.10000000000000001', false],
    ['0.1000000000000000055511151231257827', false],
    ['5e-324', true],
    ['4.9e-324', false],
    ['1e400', false],
    ['-1e400', false],
    ['1e-400', false],
    ['0e99999', true],
    ['1.7976931348623157e308', true],
  ])('%s is kept: %s', (literal, kept) => {
    expect(refused(`{"a/b":[0,${literal}]}`)).toEqual(kept ? [] : ['/a~1b/1'])
    expect(parseForeignJson(`[${literal}]`)).toEqual([kept ? Number(literal) : literal])
  })

  it('in the place of a key, or that is none, makes no JSON', () => {
    for (const text of [
      '{1184467440737095516:1}',
      '{1184467440737095516 : 1}',
      '[01184467440737095516]',
      '[+1184467440737095516]',
      '[1184467440737095516.]',
      '[1184467440737095516 1]',
    ]) {
      expect(() => parseJson(text)).toThrow(SyntaxError)
      expect(() => parseForeignJson(text)).toThrow(SyntaxError)
    }
  })

  it('is refused with a hundred others at most, and with how many there are', () => {
    const text = `[${Array(1_000).fill('9007199254740993')}]`
    expect(() => parseJson(text)).toThrow(
      'body /0: is a number that cannot be kept exactly; send it as text, in quotes, or with at most 15 digits where only a number will do (and 999 more)',
    )
    expect(refused(text)).toHaveLength(100)
  })
})

it('says of a bound in a schema of a tool what to do about it, and of anything else to send text', () => {
  const bounded =
    '{"tools":[{"function":{"parameters":{"properties":{"id":{"format":"int64","maximum":9223372036854775807}}}}}]}'
  expect(() => parseJson(bounded)).toThrow(
    'body /tools/0/function/parameters/properties/id/maximum: is a number that cannot be kept exactly; send it as text, in quotes, or with at most 15 digits where only a number will do, or, where it is a bound of a JSON Schema, leave it out',
  )
  expect(() => parseJson('{"id":9223372036854775807}')).toThrow(
    /send it as text, in quotes, or with at most 15 digits where only a number will do$/,
  )
})
