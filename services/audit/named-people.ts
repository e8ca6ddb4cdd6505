import type { Actor } from '#core/actor.ts'
import type { AuditRecord } from '#core/audit/types.ts'
import { USER_IDS } from '#core/user/schema.ts'
import type { People } from '../auth/known-people.ts'
import { mayEnter, seesAddresses } from '../auth/may.ts'

/** Somebody whom a record names. */
export interface NamedPerson {
  id: string
  display: string
  email?: string
}

/**
 * Adds to each record the people of the workspace whom it names by id, with their present names, and with their addresses for approvers and
 * auditors. The names are no part of what was hashed.
 */
export async function withPeople<Listed extends AuditRecord>(
  { people, actor, workspace_id }: { people: Pick<People, 'many'>; actor: Actor; workspace_id: string },
  records: readonly Listed[],
): Promise<(Listed & { people: NamedPerson[] })[]> {
  // the actor comes first
  const named = records.map(({ event }) => [
    ...new Set(`${event.actor.id} ${JSON.stringify(event)}`.match(USER_IDS) ?? []),
  ])
  const ids = [...new Set(named.flat())]
  const withEmail = seesAddresses(actor)
  const found = await people.many(ids)
  const known = new Map(
    found
      .filter((person) => mayEnter(person, workspace_id))
      .map(({ id, email, display }): [string, NamedPerson] => {
        // without a name of their own people are called by their address
        const name = withEmail || display !== email ? display : id
        return [id, { id, display: name, ...(withEmail && { email }) }]
      }),
  )
  return records.map((record, at) => ({ ...record, people: (named[at] ?? []).flatMap((id) => known.get(id) ?? []) }))
}
