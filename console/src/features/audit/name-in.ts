import type { AuditRecord } from '../../lib/verify-slice.ts'

/** A text of a record with the names of the people whom it names by id. */
export const nameIn = ({ people = [] }: AuditRecord, text: string): string =>
  people.reduce((named, { id, display }) => named.replaceAll(id, () => display), text)
