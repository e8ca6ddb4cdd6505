import { textOf } from '../record-data.ts'
import type { AuditRecord } from './types.ts'

const AUDIT_COLUMNS = [
  'seq',
  'ts',
  'category',
  'action',
  'actor',
  'channel',
  'workspace',
  'run_id',
  'subject',
  'summary',
  'prev_hash',
  'hash',
] as const

export const AUDIT_CSV_HEAD = `${AUDIT_COLUMNS.join(',')}\r\n`

/** A record as one line of CSV (RFC 4180). No cell can be taken for a formula. */
export function auditCsvLine({ seq, hash, prev_hash, event }: AuditRecord): string {
  const { ts, category, action, actor, channel, workspace_id, run_id, subject } = event
  const about = `${subject.type} ${subject.id}`
  const summary = [action, about, ...SAID.map((key) => textOf(event.data[key])).filter((text) => text !== '')].join(' ')
  const cells: Record<(typeof AUDIT_COLUMNS)[number], string> = {
    seq: String(seq),
    ts,
    category,
    action,
    actor: `${actor.type}:${actor.id}`,
    channel: channel ?? '',
    workspace: workspace_id,
    run_id: run_id ?? '',
    subject: about,
    summary,
    prev_hash,
    hash,
  }
  return `${AUDIT_COLUMNS.map((column) => cellOf(cells[column])).join(',')}\r\n`
}

/** What a record says in one word. */
const SAID = ['decision', 'status', 'effect', 'state', 'code', 'reason'] as const

/** Spreadsheets run what begins like this, also behind a blank or a tab. */
const FORMULA = /^[\s\p{Cc}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u

function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
