import { type Json, type JsonObject, objectOf } from '../json/json.ts'

/**
 * Returns everyone in whose name a run was requested: the requester, the person behind a schedule, an ask or a service account. Names of
 * channels are included (`via`); they are no user's id. Distinct; empty when no requester is known.
 */
export function requestersOf(provenance: JsonObject): string[] {
  const { via, user_id } = objectOf(provenance['human_root'])
  return distinct([
    objectOf(provenance['actor'])['id'],
    user_id,
    ...(Array.isArray(via) ? via.flatMap(idsOf) : idsOf(via)),
  ])
}

/** Also those whose cancellation caused this compensation: they may not approve it, but it does not depend on them. */
export function requestersAndCancellers(provenance: JsonObject): string[] {
  const { cancelled_by } = objectOf(provenance['human_root'])
  return distinct([...requestersOf(provenance), ...(Array.isArray(cancelled_by) ? cancelled_by : [])])
}

/** Tells whether a run takes back what another run of its pipeline has done. */
export function isCompensation(provenance: JsonObject): boolean {
  return objectOf(provenance['trigger'])['compensation'] === true
}

/** Returns the requester of a run, its roots and its contributors, as records hold them. */
export function askedBy(provenance: JsonObject): { requested_by: Json; human_root: Json; contributors?: Json } {
  const { id } = objectOf(provenance['actor'])
  const { human_root = null, contributors } = provenance
  return { requested_by: id ?? null, human_root, ...(contributors !== undefined && { contributors }) }
}

/** Returns the usable delegations: those that pass on the roles of a requester of the run are left out. */
export function withoutRequesters<Entry extends { of: string }>(
  delegations: readonly Entry[],
  requesters: readonly string[],
): Entry[] {
  return delegations.filter(({ of }) => !requesters.includes(of))
}

function distinct(candidates: readonly (Json | undefined)[]): string[] {
  return [...new Set(candidates.filter((id): id is string => typeof id === 'string' && id !== ''))]
}

function idsOf(entry: Json | undefined): (Json | undefined)[] {
  if (typeof entry === 'string') return [entry]
  const { id, user_id, created_by } = objectOf(entry)
  return [id, user_id, created_by]
}
