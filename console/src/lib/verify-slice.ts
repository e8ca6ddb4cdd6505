import canonicalize from 'canonicalize'
import type { Schema } from '#client/create-client.ts'

export type AuditRecord = Schema<'AuditRecord'>

export type Fault = 'hash' | 'link' | 'seq' | 'place' | 'run'

export interface SliceVerdict {
  /** faults, each with the record at which it shows */
  faults: { seq: number; fault: Fault }[]
  /** records that follow each other without a gap */
  stretches: { from: number; to: number }[]
  /** steps from one record to the next which hold, of all that the slice has */
  links: { held: number; possible: number }
  /** records of others between the first and the last */
  between: number
}

const GENESIS = '0'.repeat(64)

/** Hashes are computed by the browser, which does so only where a page came by https or from its own machine. */
export function canVerify(): boolean {
  return crypto.subtle !== undefined
}

/** The formula of the chain: lower-case hex of sha256( utf8(prev_hash) || utf8(JCS(event)) ). */
export async function hashOf({ prev_hash, event }: Pick<AuditRecord, 'prev_hash' | 'event'>): Promise<string> {
  const bytes = new TextEncoder().encode(`${prev_hash}${canonicalize(event)}`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Verifies what a part of the chain can show by itself, from its records alone: the hash of each, and the link of those that follow
 * each other. Where `run_id` is given, all of them have to be of that run.
 */
export async function verifySlice(records: readonly AuditRecord[], run_id?: string): Promise<SliceVerdict> {
  const inOrder = [...records].sort((one, other) => one.seq - other.seq)
  const hashes = await Promise.all(inOrder.map(hashOrNone))
  const verdict: SliceVerdict = { faults: [], stretches: [], links: { held: 0, possible: 0 }, between: 0 }
  for (const [place, record] of inOrder.entries()) {
    const { seq, hash, prev_hash, event } = record
    const before = inOrder[place - 1]
    const fail = (fault: Fault) => void verdict.faults.push({ seq, fault })
    if (hashes[place] !== hash) fail('hash')
    if (event.seq !== seq) fail('seq')
    if (run_id !== undefined && event.run_id !== run_id) fail('run')
    if (seq === 1 && prev_hash !== GENESIS) fail('link')
    const last = verdict.stretches.at(-1)
    if (before === undefined || last === undefined) verdict.stretches.push({ from: seq, to: seq })
    else if (before.seq === seq) fail('place')
    else {
      verdict.links.possible += 1
      if (before.seq === seq - 1) {
        last.to = seq
        if (before.hash === prev_hash) verdict.links.held += 1
        else fail('link')
      } else {
        verdict.between += seq - before.seq - 1
        verdict.stretches.push({ from: seq, to: seq })
      }
    }
  }
  return verdict
}

/** A value without a canonical form was never hashed. */
async function hashOrNone(record: AuditRecord): Promise<string | undefined> {
  return await hashOf(record).catch(() => undefined)
}
