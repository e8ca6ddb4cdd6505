import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical, wellFormed } from '#core/json/canonical.ts'

/** Keys that engines reorder, that mean something to objects, and that sort differently by code point than by code unit. */
const key = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', '10', '9', '01', '', '\ufb33', '\u{1f600}'),
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, -0, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, '\\ud', '\u2028'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((members) => Object.fromEntries(members)),
  ),
})).value

describe('canonical form', () => {
  test('equals the reference implementation of RFC 8785 for every JSON value', () => {
    fc.assert(
      fc.property(json, (value) => canonical(value) === canonicalize(value)),
      { numRuns: 2000 },
    )
  })

  test('says what the value says', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('writes the sample of RFC 8785 section 3.2.2', () => {
    const sample = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    expect(canonical(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  test('sorts the keys of RFC 8785 section 3.2.3 by UTF-16 code unit', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6']
    const text = canonical(Object.fromEntries(keys.map((name) => [name, 0])))
    expect([...text.matchAll(/"([^"]*)":/gu)].map((match) => match[1])).toEqual([
      '\\r',
      '1',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\u{1f600}',
      '\ufb33',
    ])
  })

  test('leaves undefined members out and refuses what JSON cannot say', () => {
    expect(canonical({ b: undefined, a: 1 })).toBe('{"a":1}')
    // keys that an engine reorders take the general way
    expect(canonical({ 10: 1, 9: undefined, b: { c: undefined } })).toBe('{"10":1,"b":{}}')
    expect(() => canonical({ a: Number.NaN })).toThrow()
    expect(() => canonical({ a: '\ud800' })).toThrow()
    expect(() => canonical(undefined)).toThrow()
  })
})

describe('well-formedness pass', () => {
  test('gives every value a canonical form and does not touch a good one', () => {
    const loose = fc.oneof(
      json,
      fc.anything({ withObjectString: true, maxDepth: 3, values: [fc.string(), fc.double()] }),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), loose)), (members) => {
        const value = JSON.parse(JSON.stringify(Object.fromEntries(members)))
        const good = wellFormed(value)
        expect(() => canonical(good)).not.toThrow()
        expect(wellFormed(good)).toBe(good)
      }),
    )
    const good = { a: ['\u{1f600}', 1] }
    expect(wellFormed(good)).toBe(good)
  })

  test('replaces lone surrogates and numbers that are not finite', () => {
    expect(canonical(wellFormed({ text: 'a\udc00', list: ['\ud800', Number.NaN, Number.POSITIVE_INFINITY] }))).toBe(
      '{"list":["\ufffd",null,null],"text":"a\ufffd"}',
    )
  })

  test('loses no member when two broken names become one', () => {
    expect(wellFormed({ '\ud800': 1, '\ud801': 2, '\ufffd': 3 })).toEqual({
      '\ufffd\ufffd': 1,
      '\ufffd\ufffd\ufffd': 2,
      '\ufffd': 3,
    })
  })
})
