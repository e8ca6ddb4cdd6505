import { setTimeout } from 'node:timers/promises'
import type { Schema } from '#client/create-client.ts'
import { USER_IDS } from '#core/user/schema.ts'
import type { ApiClient } from '../../client/api-client.ts'

type AuditRecord = Schema<'AuditRecord'>
type NamedPerson = NonNullable<AuditRecord['people']>[number]

const MAX_RECORDS = 5_000
const MAX_RUNS = 20
/** The log is read without the service, which only adds names. */
const PATIENCE_MS = 3_000

/** The people whom these records name, by their ids. */
export function peopleOf(records: readonly AuditRecord[]): ReadonlyMap<string, NamedPerson> {
  return new Map(records.flatMap(({ people = [] }) => people).map((person) => [person.id, person]))
}

/** Asks the service for the people of these runs; nobody where it does not answer, or not to this caller. */
export async function peopleOfRuns(
  api: () => Pick<ApiClient, 'audit'>,
  runs: readonly string[],
): Promise<ReadonlyMap<string, NamedPerson>> {
  const nobody = new Map<string, NamedPerson>()
  const asked = async () => {
    const service = api()
    const lists = await Promise.all(runs.slice(0, MAX_RUNS).map((run_id) => service.audit({ run_id }, MAX_RECORDS)))
    return peopleOf(lists.flatMap(({ items }) => items))
  }
  return await Promise.race([asked().catch(() => nobody), setTimeout(PATIENCE_MS, nobody, { ref: false })])
}

/** The text with the names of people before their ids. */
export function withNames(text: string, people: ReadonlyMap<string, NamedPerson>): string {
  return text.replaceAll(USER_IDS, (user) => {
    const person = people.get(user)
    return person === undefined ? user : `${nameOf(person)} (${user})`
  })
}

function nameOf({ display, email }: NamedPerson): string {
  return email === undefined || email === display ? display : `${display} <${email}>`
}
