import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTemplateString, renderValue } from '#core/expression/parse-template-string.ts'
import type { Json } from '#core/json/json.ts'

const scope = { inputs: { url: 'http://demo.test', n: 3, list: [1, 2], nothing: null } }
const safeKey = fc.string({ maxLength: 8 })
const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    fc.string(),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(safeKey, tie('json'), { maxKeys: 4 }),
  ),
}))

describe('renderValue', () => {
  it('keeps the type of a value that is exactly one expression', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(renderValue(`\${{ value }}`, { value })).toStrictEqual(plain(value))
      }),
    )
  })

  it('leaves a value without expressions as it is', () => {
    fc.assert(
      fc.property(json, (value) => {
        fc.pre(!JSON.stringify(value).includes('${{'))
        expect(renderValue(value, {})).toStrictEqual(plain(value))
      }),
    )
  })

  it('never finds anything that the scope does not hold', () => {
    const inherited = [...Object.getOwnPropertyNames(Object.prototype), ...Object.getOwnPropertyNames(Array.prototype)]
    fc.assert(
      fc.property(
        fc.constantFrom(...inherited),
        fc.constantFrom('inputs', 'inputs.list', 'inputs.url', 'inputs.n'),
        (name, of) => {
          expect(() => renderValue(`\${{ ${of}["${name}"] }}`, scope)).toThrow()
        },
      ),
    )
  })

  it.each([
    [`\${{ inputs.url }}/health`, 'http://demo.test/health'],
    [`n=\${{ inputs.n }} list=\${{ inputs.list }} nothing=\${{ inputs.nothing }}`, 'n=3 list=[1,2] nothing=null'],
    [`\${{ {"a": {"b": inputs.n}} }}`, { a: { b: 3 } }],
    [`\${{ {"a":{"b":1}}}}`, { a: { b: 1 } }],
    [`\${{ "}}" }}`, '}}'],
    [`\${{ '\${{' }}`, '${{'],
    [`\${{ "\\"}}" }} end`, '"}} end'],
    [`\${{ """a "}}" b""" }}`, 'a "}}" b'],
    ['$ {{ not }} {% one %}', '$ {{ not }} {% one %}'],
    [{ a: [`\${{ inputs.n }}`, { b: `\${{ inputs.list }}` }] }, { a: [3, { b: [1, 2] }] }],
  ])('%j', (value, expected) => expect(renderValue(value, scope)).toEqual(expected))

  it('names the expression whose value is missing', () => {
    expect(() => renderValue(`at \${{ inputs.nope }}`, scope)).toThrow(/`inputs.nope`: No such key: nope/)
  })

  it('says where an expression is never closed', () => {
    expect(() => parseTemplateString('ab ${{ inputs.url')).toThrow(/never closed/)
  })
})

/** Without the null prototypes that the generator makes. */
function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}
