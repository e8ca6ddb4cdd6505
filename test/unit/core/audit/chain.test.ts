import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chainRecord, GENESIS, verifyLine, verifyLink } from '#core/audit/chain.ts'
import { canonical } from '#core/json/canonical.ts'
import { chainedLines, draft, sha256 } from './drafts.ts'

const lines = chainedLines(3)
const [first = '', second = '', third = ''] = lines
const afterFirst = headOf(first)

function headOf(line: string) {
  const check = verifyLine(GENESIS, line, sha256)
  if (!check.ok) throw new Error(check.broken.detail)
  return check.head
}

const kindOf = (line: string, prev = afterFirst) => {
  const check = verifyLine(prev, line, sha256)
  return check.ok ? 'ok' : check.broken.kind
}

/** A second record that carries a right hash over a text of our choice, as somebody who rewrites the log would make it. */
const forged = (event_text: string, seq = 2) =>
  `{"seq":${seq},"hash":"${sha256(afterFirst.hash + event_text)}","prev_hash":"${afterFirst.hash}","event":${event_text}}`

const secondEvent = canonical(JSON.parse(second).event)

describe('chaining a draft', () => {
  test('hashes the previous hash followed by the canonical event, from 64 zeros', () => {
    const { record, line } = chainRecord(GENESIS, draft(1), sha256)
    const formula = createHash('sha256')
      .update('0'.repeat(64), 'utf8')
      .update(canonical(record.event), 'utf8')
      .digest('hex')
    expect(record.hash).toBe(formula)
    expect(record.prev_hash).toBe('0'.repeat(64))
    expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(record)))
  })

  test('keeps everything that the draft says, also members that this version does not know', () => {
    const known = draft(1, { actor: { type: 'user', id: 'usr_1', auth: 'jwt', ip: '::1' } })
    const unknown = { ...known, later: 'yes', subject: { ...known.subject, later: 1 } }
    expect(chainRecord(GENESIS, unknown, sha256).record.event).toEqual({ ...unknown, v: 1, seq: 1 })
  })

  test('a draft cannot choose its place in the chain', () => {
    const { line } = chainRecord(GENESIS, { ...draft(1), ...{ seq: 7, v: 9 } }, sha256)
    expect(kindOf(line, GENESIS)).toBe('ok')
  })

  test('the record says what the line says even when a draft carries lone surrogates', () => {
    const { record, line } = chainRecord(GENESIS, draft(1, { data: { '\ud800': 'a\udfff' } }), sha256)
    expect(JSON.parse(line).event).toEqual(JSON.parse(JSON.stringify(record.event)))
    expect(kindOf(line, GENESIS)).toBe('ok')
  })

  test('any drafts give a chain that verifies', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), { minLength: 1 }), (all) => {
        let prev = GENESIS
        for (const line of chainedLines(all.length, (n) =>
          draft(n, { data: JSON.parse(JSON.stringify(all[n - 1])) }),
        )) {
          const check = verifyLine(prev, line, sha256)
          if (!check.ok) return false
          prev = check.head
        }
        return prev.seq === all.length
      }),
    )
  })
})

describe('verifying a line', () => {
  test('names the record and what is wrong with it', () => {
    expect(kindOf(second)).toBe('ok')
    expect(kindOf(third)).toBe('seq_gap')
    expect(kindOf(first)).toBe('seq_gap')
    expect(kindOf(second.replace(afterFirst.hash, 'f'.repeat(64)))).toBe('prev_mismatch')
    expect(kindOf(second.replace('require_hitl', 'allow_auto'))).toBe('hash_mismatch')
    expect(kindOf(second.replace(/"hash":"./, '"hash":"x'))).toBe('hash_mismatch')
    expect(kindOf(second.slice(0, -1))).toBe('malformed_line')
    expect(kindOf(` ${second}`)).toBe('malformed_line')
    expect(kindOf(`${second}\r`)).toBe('malformed_line')
    expect(kindOf('')).toBe('malformed_line')
    const check = verifyLine(afterFirst, third, sha256)
    expect(check.ok ? undefined : check.broken.seq).toBe(2)
  })

  test('refuses a rightly hashed event that another reader could read differently', () => {
    expect(kindOf(forged(secondEvent))).toBe('ok')
    expect(kindOf(forged(secondEvent.replace('{', '{ ')))).toBe('not_canonical')
    expect(kindOf(forged(secondEvent.replace('"id":', '"id":"aud_other","id":')))).toBe('not_canonical')
    expect(kindOf(forged(secondEvent.replace('"seq":2', '"seq":2.0')))).toBe('not_canonical')
    expect(kindOf(forged(secondEvent.replace('engine', '\\u0065ngine')))).toBe('not_canonical')
    expect(kindOf(forged(secondEvent.replace(/^\{(.*),("workspace_id":"[^"]*")\}$/, '{$2,$1}')))).toBe('not_canonical')
    expect(kindOf(forged(secondEvent.replace('"seq":2', '"seq":3')))).toBe('event_seq_differs')
    expect(kindOf(forged(secondEvent.replace('"v":1', '"v":2')))).toBe('malformed_line')
    expect(kindOf(forged('{}'))).toBe('malformed_line')
    expect(kindOf(forged('{"a":1}}'))).toBe('malformed_line')
  })

  test('any edit of one character is detected, also without parsing', () => {
    fc.assert(
      fc.property(fc.nat(second.length - 1), fc.string({ unit: 'binary', minLength: 0, maxLength: 1 }), (at, char) => {
        fc.pre(second[at] !== char)
        const edited = second.slice(0, at) + char + second.slice(at + 1)
        return !verifyLine(afterFirst, edited, sha256).ok && !verifyLink(afterFirst, edited, sha256).ok
      }),
      { numRuns: 2000 },
    )
  })
})
