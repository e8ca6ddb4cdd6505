import type { AuditRecord } from '../../lib/verify-slice.ts'

/** What a person is called whom a record names by id; else the id. */
export const nameIn = ({ people = [] }: AuditRecord, id: string): string =>
  people.find((person) => person.id === id)?.display ?? id
