import type { Schema } from '#client/create-client.ts'
import { USER_IDS } from '#core/user/schema.ts'
import type { Column } from './table.ts'

type Row = Schema<'AuditRecord'>

/** Members of `data` that say what became of it, in this order. */
const OUTCOME = ['decision', 'status', 'outcome', 'code', 'effect', 'by', 'summary', 'reason', 'note', 'text']

/** Columns of a list of audit records: who did what, in names. */
export const AUDIT_COLUMNS: readonly Column<Row>[] = [
  { title: 'TIME', text: ({ event }) => event.ts.replace('T', ' ') },
  { title: 'WHO', text: (row) => named(row, row.event.actor.id) },
  { title: 'DID', text: ({ event }) => event.action },
  { title: 'ABOUT', text: (row) => named(row, row.event.subject.id) },
  { title: 'WHAT', text: (row) => named(row, outcomeOf(row)), cut: true },
  { title: 'RUN', text: ({ event }) => event.run_id ?? '', wide: true },
  { title: 'VIA', text: ({ event }) => event.channel ?? '', wide: true },
  { title: 'CATEGORY', text: ({ event }) => event.category, wide: true },
  { title: 'RECORD', text: ({ seq }) => `#${seq}`, wide: true },
]

function outcomeOf({ event: { data } }: Row): string {
  const values = OUTCOME.map((key) => data[key])
  return values.filter((value) => typeof value === 'string' && value !== '').join(': ')
}

/** The text with names in the place of the ids of people. */
function named({ people = [] }: Row, text: string): string {
  return text.replaceAll(USER_IDS, (id) => people.find((person) => person.id === id)?.display ?? id)
}
