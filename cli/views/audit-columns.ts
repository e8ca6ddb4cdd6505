import { auditAbout, auditActor, auditOutcome } from '#client/audit-text.ts'
import type { Schema } from '#client/create-client.ts'
import { USER_IDS } from '#core/user/schema.ts'
import type { Column } from './table.ts'

type Row = Schema<'AuditRecord'>

/** Columns of a list of audit records: who did what, in names. */
export const AUDIT_COLUMNS: readonly Column<Row>[] = [
  { title: 'TIME', text: ({ event }) => event.ts.replace('T', ' ') },
  { title: 'WHO', text: (row) => named(row, auditActor(row)) },
  { title: 'DID', text: ({ event }) => event.action },
  { title: 'ABOUT', text: (row) => named(row, auditAbout(row)), cut: true },
  { title: 'WHAT', text: (row) => named(row, auditOutcome(row)), cut: true },
  { title: 'RUN', text: ({ event }) => event.run_id ?? '', wide: true },
  { title: 'VIA', text: ({ event }) => event.channel ?? '', wide: true },
  { title: 'CATEGORY', text: ({ event }) => event.category, wide: true },
  { title: 'RECORD', text: ({ seq }) => `#${seq}`, wide: true },
]

/** The text with names in the place of the ids of people. */
function named({ people = [] }: Row, text: string): string {
  return text.replaceAll(USER_IDS, (id) => people.find((person) => person.id === id)?.display ?? id)
}
