import { type Json, type JsonObject, objectOf } from '../json/json.ts'

/**
 * Returns everyone in whose name a run was requested: the requester, the person behind a schedule, an ask or a service account, and for a
 * compensation the user who cancelled the run that it takes back. Names of channels are included (`via`); they are no user's id. Distinct;
 * empty when no requester is known.
 */
export function requesterIds(provenance: JsonObject): string[] {
  const root = objectOf(provenance['human_root'])
  const { via, cancelled_by } = root
  const candidates = [
    objectOf(provenance['actor'])['id'],
    root['user_id'],
    ...(Array.isArray(via) ? via.flatMap(idsOf) : idsOf(via)),
    ...(Array.isArray(cancelled_by) ? cancelled_by : []),
  ]
  return [...new Set(candidates.filter((id): id is string => typeof id === 'string' && id !== ''))]
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

function idsOf(entry: Json | undefined): (Json | undefined)[] {
  if (typeof entry === 'string') return [entry]
  const { id, user_id, created_by } = objectOf(entry)
  return [id, user_id, created_by]
}
