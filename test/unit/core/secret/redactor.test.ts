import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '#core/json/json.ts'
import { createRedactor } from '#core/secret/redactor.ts'

const HIDDEN = '<secret:it>'
const redactorOf = (values: Json[]) => createRedactor(values.map((value) => ['it', value]))

/** Characters that are no part of the replacement, so that the replacement itself cannot hold a secret. */
const secret = fc.string({
  unit: fc.constantFrom(...`pqrstuvwxyzPQRS0123456789'"\\/ &+%=_-é☃\n`),
  minLength: 4,
  maxLength: 40,
})

const ENCODINGS: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in JSON', (text) => JSON.stringify({ text })],
  ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify({ text }))],
  ['URL-encoded', encodeURIComponent],
  ['as a form', (text) => new URLSearchParams({ text }).toString()],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64url', (text) => Buffer.from(text).toString('base64url')],
  ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['quoted for a shell', (text) => `'${text.replaceAll("'", "'\\''")}'`],
  ['in JSON, quoted for a shell', (text) => `'${JSON.stringify({ text }).replaceAll("'", "'\\''")}'`],
]

describe('createRedactor', () => {
  test('no occurrence survives, no matter what stands around it', () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), fc.array(fc.string()), (secrets, between) => {
        const text = between.flatMap((each, index) => [each, secrets[index % secrets.length] ?? '']).join('')
        const shown = redactorOf(secrets).text(text)
        for (const each of secrets) expect(shown).not.toContain(each)
      }),
    )
  })

  test.each(ENCODINGS)('hides a secret %s inside a longer text', (_name, encode) => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (each, before, after) => {
        const alone = redactorOf([each]).text(encode(each))
        expect(alone).toContain(HIDDEN)
        expect(alone).not.toContain(encode(each))
        expect(redactorOf([each]).text(`${before}${encode(each)}${after}`)).not.toContain(encode(each))
      }),
    )
  })

  test('finds it in the base64 of a longer text, at any offset', () => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const shown = redactorOf(['opensesame']).text(Buffer.from(`${before}opensesame:xyz`).toString('base64'))
      const decoded = shown
        .split(HIDDEN)
        .map((part) => Buffer.from(part, 'base64').toString('latin1'))
        .join()
      expect(shown).toContain(HIDDEN)
      expect(decoded).not.toMatch(/pensesam/)
    }
  })

  test('leaves values without a secret as they are, to the letter', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value))
        expect(redactorOf([]).data(json)).toBe(json)
        expect(redactorOf(['ẞẞẞẞ not in there ẞẞẞẞ']).data(json)).toEqual(json)
      }),
    )
  })

  test('hides names of members, numbers and short secrets that stand alone in what came from outside', () => {
    const redactor = redactorOf(['opensesame', 271828, 'abc'])
    expect(redactor.data({ opensesame: [271828, 'pin 271828', 'abc', 'abcd', 27] })).toEqual({
      [HIDDEN]: [HIDDEN, `pin ${HIDDEN}`, HIDDEN, 'abcd', 27],
    })
  })

  test('takes everything inside a secret object or list as secret', () => {
    const redactor = redactorOf([{ user: 'somebody', keys: ['first-key', 'second-key'] }])
    expect(redactor.text('somebody has first-key and second-key')).toBe(`${HIDDEN} has ${HIDDEN} and ${HIDDEN}`)
  })

  test('keeps the digests, ids and times of our own records when a short secret happens to stand in them', () => {
    const record = {
      plan_hash: `sha256:${'beef'.repeat(16)}`,
      gate_id: `gate_${'0'.repeat(22)}beef`,
      at: '2026-01-05T09:30:00.000Z',
      text: 'roast beef',
    }
    expect(redactorOf(['beef', '2026']).record(record)).toEqual({ ...record, text: `roast ${HIDDEN}` })
  })

  test('hides the beginning of a secret where a long text was cut off', () => {
    const redactor = redactorOf(['opensesame'])
    expect(redactor.text(`${'x'.repeat(1_000)} opense`)).toBe(`${'x'.repeat(1_000)} ${HIDDEN}`)
    expect(redactor.text('say opense… (400 characters)')).toBe(`say ${HIDDEN}… (400 characters)`)
    expect(redactor.text('the run is open')).toBe('the run is open')
  })

  test('leaves nothing between two secrets that overlap', () => {
    expect(redactorOf(['abcdef', 'defghi']).text('xabcdefghiy')).toBe(`x${HIDDEN}y`)
  })

  test('says which secret stands there, and which ones where two overlap', () => {
    const redactor = createRedactor([
      ['token', 'opensesame'],
      ['login.password', 'samehorse'],
    ])
    expect(redactor.text('opensesame')).toBe('<secret:token>')
    expect(redactor.text('say opensesamehorse')).toBe('say <secret:token><secret:login.password>')
    expect(redactor.data({ key: 'samehorse' })).toEqual({ key: '<secret:login.password>' })
  })

  test('leaves the marks of other secrets as they are, even where one reads like a secret', () => {
    const redactor = createRedactor([
      ['token', 'opensesame'],
      ['password', 'token'],
    ])
    const shown = redactor.shown('opensesame and token')
    expect(shown).toBe('<secret:token> and <secret:password>')
    expect([redactor.record(shown), redactor.text(shown), redactor.data(shown)]).toEqual([shown, shown, shown])
  })

  test('two secrets of one name are both hidden', () => {
    expect(redactorOf(['first-key', 'second-key']).text('first-key second-key')).toBe(`${HIDDEN} ${HIDDEN}`)
  })

  test('finds a secret in a url in which it was a part of the host', () => {
    const { href } = new URL('https://OpenSesame.example.test/x')
    expect(redactorOf(['OpenSesame']).text(href)).toBe(`https://${HIDDEN}.example.test/x`)
  })

  test('what an approver reads can be read back: nothing unseen, and no text that passes for a secret or an escape', () => {
    const redactor = redactorOf(['opensesame'])
    const given = 'a\u202eb <secret:it> \\u{202e} opensesame\n\t\u{e0041}'
    for (const each of [redactor, createRedactor([])]) {
      const secret = each === redactor ? HIDDEN : 'opensesame'
      expect(each.shown([given])).toEqual([`a\\u{202e}b \\u{3c}secret:it> \\u{5c}u{202e} ${secret}\n\t\\u{e0041}`])
    }
  })
})
