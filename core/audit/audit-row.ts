import { textOf } from '../json/json.ts'
import type { AuditRecord } from './types.ts'

/** The columns of the audit log as a table. */
export const AUDIT_COLUMNS = [
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
  'actor_name',
  'actor_email',
  'about',
  'note',
] as const

/** A record with what is no part of what was hashed: the people whom it names, and what its run is about. */
type ListedRecord = AuditRecord & { people: readonly { id: string; display: string; email?: string }[]; about?: string }

/** A record as a row of that table. */
export function auditRow({ seq, hash, prev_hash, event, people, about: problem = '' }: ListedRecord): string[] {
  const person = people.find(({ id }) => id === event.actor.id)
  const { ts, category, action, actor, channel, workspace_id, run_id, subject } = event
  const about = `${subject.type} ${subject.id}`
  const summary = [
    action,
    about,
    ...OUTCOME_MEMBERS.map((key) => textOf(event.data[key])).filter((text) => text !== ''),
  ].join(' ')
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
    actor_name: person?.display ?? '',
    actor_email: person?.email ?? '',
    about: problem,
    note: textOf(event.data['note']) || textOf(event.data['text']),
  }
  return AUDIT_COLUMNS.map((column) => cells[column])
}

/** Members of a record that hold its outcome. */
const OUTCOME_MEMBERS = ['decision', 'status', 'effect', 'state', 'code', 'reason'] as const
