import { type Json, type JsonObject, objectOf } from '../json/json.ts'

/**
 * Everyone in whose name a run was asked for: the one who started it, and the person behind a schedule, an ask or a service account, and for a
 * compensation the one who cancelled what it takes back. Names of channels are among them (`via`); they are nobody's id. Distinct, empty when
 * nobody is known.
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

/** Who asked for a run, for whom, and who has shaped it, as every record about it says. */
export function askedBy(provenance: JsonObject): { requested_by: Json; human_root: Json; contributors?: Json } {
  const { id } = objectOf(provenance['actor'])
  const { human_root = null, contributors } = provenance
  return { requested_by: id ?? null, human_root, ...(contributors !== undefined && { contributors }) }
}

/** The delegations that may be used: never one that hands on the roles of somebody who asked for the run. */
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
