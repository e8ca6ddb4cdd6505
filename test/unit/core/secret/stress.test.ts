import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HIDDEN } from '#core/egress/secret-name.ts'
import { createRedactor } from '#core/secret/redactor.ts'

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
  test('no occurrence survives, whatever stands around it', () => {
    fc.configureGlobal({ numRuns: 4000 }); fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), fc.array(fc.string()), (secrets, between) => {
        const text = between.flatMap((each, index) => [each, secrets[index % secrets.length] ?? '']).join('')
        const shown = createRedactor(secrets).text(text)
        for (const each of secrets) expect(shown).not.toContain(each)
      }),
    )
  })

  test.each(ENCODINGS)('hides a secret %s inside a longer text', (_name, encode) => {
    fc.configureGlobal({ numRuns: 4000 }); fc.assert(
      fc.property(secret, fc.string(), fc.string(), (each, before, after) => {
        const alone = createRedactor([each]).text(encode(each))
        expect(alone).toContain(HIDDEN)
        expect(alone).not.toContain(encode(each))
        expect(createRedactor([each]).text(`${before}${encode(each)}${after}`)).not.toContain(encode(each))
      }),
    )
  })

  test('finds it in the base64 of a longer text, at any offset', () => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      const shown = createRedactor(['opensesame']).text(Buffer.from(`${before}opensesame:xyz`).toString('base64'))
      const decoded = shown
        .split(HIDDEN)
        .map((part) => Buffer.from(part, 'base64').toString('latin1'))
        .join()
      expect(shown).toContain(HIDDEN)
      expect(decoded).not.toMatch(/pensesam/)
    }
  })

  test('leaves values without a secret as they are, to the letter', () => {
    fc.configureGlobal({ numRuns: 4000 }); fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value))
        expect(createRedactor([]).data(json)).toBe(json)
        expect(createRedactor(['ẞẞẞẞ not in there ẞẞẞẞ']).data(json)).toEqual(json)
      }),
    )
  })

  test('hides names of members, numbers and short secrets that stand alone in what came from outside', () => {
    const redactor = createRedactor(['opensesame', 271828, 'abc'])
    expect(redactor.data({ opensesame: [271828, 'pin 271828', 'abc', 'abcd', 27] })).toEqual({
      [HIDDEN]: [HIDDEN, `pin ${HIDDEN}`, HIDDEN, 'abcd', 27],
    })
  })

  test('takes everything inside a secret object or list as secret', () => {
    const redactor = createRedactor([{ user: 'somebody', keys: ['first-key', 'second-key'] }])
    expect(redactor.text('somebody has first-key and second-key')).toBe(`${HIDDEN} has ${HIDDEN} and ${HIDDEN}`)
  })

  test('keeps the digests, ids and times of our own records when a short secret happens to stand in them', () => {
    const record = {
      plan_hash: `sha256:${'beef'.repeat(16)}`,
      gate_id: `gate_${'0'.repeat(22)}beef`,
      at: '2026-01-05T09:30:00.000Z',
      text: 'roast beef',
    }
    expect(createRedactor(['beef', '2026']).record(record)).toEqual({ ...record, text: `roast ${HIDDEN}` })
  })

  test('hides the beginning of a secret where a long text was cut off', () => {
    const redactor = createRedactor(['opensesame'])
    expect(redactor.text(`${'x'.repeat(1_000)} opense`)).toBe(`${'x'.repeat(1_000)} ${HIDDEN}`)
    expect(redactor.text('say opense… (400 characters)')).toBe(`say ${HIDDEN}… (400 characters)`)
    expect(redactor.text('the run is open')).toBe('the run is open')
  })

  test('leaves nothing between two secrets that overlap', () => {
    expect(createRedactor(['abcdef', 'defghi']).text('xabcdefghiy')).toBe(`x${HIDDEN}y`)
  })
})
