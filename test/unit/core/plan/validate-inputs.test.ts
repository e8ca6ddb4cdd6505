import { describe, expect, it } from 'vitest'
import { validateInputs } from '#core/plan/validate-inputs.ts'

const schema = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', format: 'uri', pattern: '^https?://' },
    name: { type: 'string', pattern: '^[a-z]+$' },
    word: { type: 'string', pattern: '^[a-z]+$', patternErrorMessage: 'must be small letters' },
    action: { enum: ['restart', 'rollback'], default: 'restart' },
    count: { type: 'integer' },
  },
}

describe('validateInputs', () => {
  it('fills in defaults and leaves what it was given alone', () => {
    const given = { url: 'http://demo.test' }
    expect(validateInputs(schema, given)).toEqual({
      valid: true,
      errors: [],
      normalized: { url: 'http://demo.test', action: 'restart' },
    })
    expect(given).toEqual({ url: 'http://demo.test' })
  })

  it.each([
    [{}, '/url', 'is required'],
    [{ url: 'not a url' }, '/url', 'must match format "uri"'],
    [{ url: 'ftp://x' }, '/url', 'must match pattern "^https?://"'],
    [{ url: 'http://x', word: 'A' }, '/word', 'must be small letters'],
    [{ url: 'http://x', name: 'http://x' }, '/name', 'must match pattern "^[a-z]+$"'],
    [{ url: 'http://x', action: 'explode' }, '/action', 'must be one of "restart", "rollback"'],
    [{ url: 'http://x', count: '3' }, '/count', 'must be integer'],
    [{ url: 'http://x', extra: 1 }, '/extra', 'is not known here'],
    [JSON.parse('{"url": "http://x", "__proto__": {"a": 1}}'), '/__proto__', 'is not known here'],
  ])('%j is refused at %s', (inputs, pointer, msg) => {
    const { valid, errors } = validateInputs(schema, inputs)
    expect(valid).toBe(false)
    expect(errors).toContainEqual(expect.objectContaining({ pointer, msg, loc: pointer.split('/').slice(1) }))
  })

  it('takes unknown inputs when the schema says so', () => {
    expect(validateInputs({ additionalProperties: true }, { extra: 1 }).valid).toBe(true)
  })

  it('sees what allOf declares', () => {
    expect(validateInputs({ allOf: [{ properties: { a: { type: 'string' } } }] }, { a: 'x' }).valid).toBe(true)
  })

  it('accepts two schemas of the same $id', () => {
    const one = { $id: 'https://svc.example.test/inputs', properties: { a: {} } }
    const two = { $id: 'https://svc.example.test/inputs', properties: { b: {} } }
    expect(validateInputs(one, { a: 1 }).valid).toBe(true)
    expect(validateInputs(two, { b: 1 }).valid).toBe(true)
  })

  it('is not stalled by a pattern', () => {
    const slow = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    const before = performance.now()
    expect(validateInputs(slow, { a: `${'a'.repeat(40)}!` }).valid).toBe(false)
    expect(performance.now() - before).toBeLessThan(2_000)
  })

  it.each([
    [{ type: 'strin' }],
    [{ properties: { a: { minLenght: 1 } } }],
    [{ $async: true }],
    [{ properties: { a: { pattern: '(?=x)' } } }],
  ])('a schema such as %j is refused', (broken) => expect(() => validateInputs(broken, {})).toThrow())
})
