import { canonical, wellFormed } from '../json/canonical.ts'
import { isObject } from '../json/json.ts'
import type { AuditDraft, AuditEvent, AuditRecord } from './types.ts'

/** The sequence number and the hash of the last record of a chain. */
export interface ChainHead {
  seq: number
  hash: string
}

/** Lower-case hex SHA-256 of the UTF-8 bytes of a text. */
export type Sha256 = (text: string) => string

/** The head of an empty chain. */
export const GENESIS: ChainHead = { seq: 0, hash: '0'.repeat(64) }

/** Appends a draft to `prev`: the record, and its stored line (without its newline). */
export const chainRecord = (
  prev: ChainHead,
  draft: AuditDraft,
  sha256: Sha256,
): { record: AuditRecord; line: string } => {
  const event = wellFormed(eventOf(draft, prev.seq + 1))
  const text = canonical(event)
  const hash = sha256(prev.hash + text)
  return {
    record: { seq: event.seq, hash, prev_hash: prev.hash, event },
    line: `{"seq":${event.seq},"hash":"${hash}","prev_hash":"${prev.hash}","event":${text}}`,
  }
}

/** Members are in canonical order from the start, which saves sorting every record; `rest` keeps any further member. */
const eventOf = (draft: AuditDraft, seq: number): AuditEvent => {
  const { action, actor, category, channel, data, id, run_id, subject, ts, workspace_id, ...rest } = draft
  const { auth, id: actor_id, ip, type, ...actor_rest } = actor
  const { id: subject_id, ...subject_rest } = subject
  return {
    ...rest,
    action,
    actor: { auth, id: actor_id, ...(ip !== undefined && { ip }), type, ...actor_rest },
    category,
    ...(channel !== undefined && { channel }),
    data,
    id,
    ...(run_id !== undefined && { run_id }),
    seq,
    subject: { id: subject_id, ...subject_rest },
    ts,
    v: 1,
    workspace_id,
  }
}

export type BrokenKind =
  | 'malformed_line'
  | 'seq_gap'
  | 'prev_mismatch'
  | 'hash_mismatch'
  | 'not_canonical'
  | 'event_seq_differs'

/** The first place where a chain is broken; `seq` is the record that belongs there. */
export interface BrokenLink {
  seq: number
  kind: BrokenKind
  detail: string
}

export type LineCheck = { ok: true; head: ChainHead; event: AuditEvent } | { ok: false; broken: BrokenLink }

/**
 * Checks that a stored line follows `prev`. The hash is taken over the stored text, which must be the canonical form of its event, so that
 * no other reader can read it differently.
 */
export const verifyLine = (prev: ChainHead, line: string, sha256: Sha256): LineCheck => {
  const link = verifyLink(prev, line, sha256)
  if (!link.ok) return link
  const fail = (kind: BrokenKind, detail: string): LineCheck => broken(link.head.seq, kind, detail)

  const event = parse(link.event_text)
  if (!isAuditEvent(event)) return fail('malformed_line', 'the event is not an audit event of version 1')
  if (!isCanonical(event, link.event_text)) return fail('not_canonical', 'the event is not in its RFC 8785 form')
  if (event.seq !== link.head.seq) return fail('event_seq_differs', `the event says seq ${event.seq}`)
  return { ok: true, head: link.head, event }
}

export type LinkCheck = { ok: true; head: ChainHead; event_text: string } | { ok: false; broken: BrokenLink }

/** The part of `verifyLine` that needs no parsing: place, link and hash. Finds every change made without hashing again. */
export const verifyLink = (prev: ChainHead, line: string, sha256: Sha256): LinkCheck => {
  const expected = prev.seq + 1
  const before_hash = `{"seq":${expected},"hash":"`
  const behind_hash = `","prev_hash":"${prev.hash}","event":`
  const hash_ends = before_hash.length + prev.hash.length
  // the expected text is known; the line is parsed only to report what is wrong with it
  if (line.startsWith(before_hash) && line.startsWith(behind_hash, hash_ends) && line.endsWith('}}')) {
    const hash = line.slice(before_hash.length, hash_ends)
    const event_text = line.slice(hash_ends + behind_hash.length, -1)
    const actual = sha256(prev.hash + event_text)
    if (hash === actual) return { ok: true, head: { seq: expected, hash }, event_text }
    return broken(expected, 'hash_mismatch', `stored hash ${hash}, computed ${actual}`)
  }
  const stored = readEnvelope(line)
  if (!stored) return broken(expected, 'malformed_line', 'not written as {"seq":…,"hash":…,"prev_hash":…,"event":{…}}')
  if (stored.seq !== expected) {
    return broken(expected, 'seq_gap', `found seq ${stored.seq} where ${expected} must stand`)
  }
  return broken(expected, 'prev_mismatch', `prev_hash ${stored.prev_hash} is not the hash before it, ${prev.hash}`)
}

const broken = (seq: number, kind: BrokenKind, detail: string): { ok: false; broken: BrokenLink } => ({
  ok: false,
  broken: { seq, kind, detail },
})

const ENVELOPE = /^\{"seq":([1-9]\d{0,14}),"hash":"([0-9a-f]{64})","prev_hash":"([0-9a-f]{64})","event":(?=\{)/

/** Takes a stored line apart without judging it; `undefined` when it is not written exactly as `chainRecord` writes. */
export const readEnvelope = (
  line: string,
): { seq: number; hash: string; prev_hash: string; event_text: string } | undefined => {
  const match = ENVELOPE.exec(line)
  if (!match?.[1] || !match[2] || !match[3] || !line.endsWith('}}')) return undefined
  return { seq: Number(match[1]), hash: match[2], prev_hash: match[3], event_text: line.slice(match[0].length, -1) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isCanonical = (event: AuditEvent, text: string): boolean => {
  try {
    return canonical(event) === text
  } catch {
    return false
  }
}

const isAuditEvent = (value: unknown): value is AuditEvent => {
  if (!isObject(value) || value.v !== 1 || typeof value.seq !== 'number') return false
  const { actor, subject, data } = value
  const texts = [value.id, value.ts, value.category, value.action, value.workspace_id]
  if (!texts.every((text) => typeof text === 'string') || !isObject(data)) return false
  if (!isObject(actor) || typeof actor.type !== 'string' || typeof actor.id !== 'string') return false
  return isObject(subject) && typeof subject.type === 'string' && typeof subject.id === 'string'
}
