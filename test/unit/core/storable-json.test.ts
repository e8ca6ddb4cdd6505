import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isStorableText, parseDelivery, storableJson } from '#core/json/storable-json.ts'

test('whatever a sender puts into a delivery can be stored, and what can be stored stays as it is', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '\u0000', '\ud800', '\udc00', '😀', '__proto__') })
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      texts,
      fc.constantFrom(null, true, 1),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(texts, tie('value')), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
    ),
  }))
  const isClean = (one: unknown): boolean => {
    if (typeof one === 'string') return isStorableText(one)
    if (typeof one !== 'object' || one === null) return true
    return Object.entries(one).every(
      ([name, member]) => name !== '__proto__' && isStorableText(name) && isClean(member),
    )
  }
  fc.assert(
    fc.property(value, (one) => {
      const kept = storableJson(one)
      expect(isClean(kept)).toBe(true)
      if (isClean(one)) expect(kept).toBe(one)
    }),
  )
})

test('a delivery keeps digits and odd text at any depth', () => {
  expect(parseDelivery('{"a":[{"id":9007199254740993,"__proto__":"\\u0000","b\\ud800":1.5}]}')).toEqual({
    a: [{ id: '9007199254740993', '"__proto__"': '\\u0000', 'b\ufffd': 1.5 }],
  })
})
