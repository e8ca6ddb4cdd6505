import { isObject, type Json, type JsonObject, textOf } from '../json/json.ts'
import { requestersAndCancellers } from './requester.ts'
import type { Required } from './types.ts'

/** Ways in which a user can shape a run. */
export const CONTRIBUTIONS = [
  'started',
  'asked',
  'cancelled',
  'invited_account',
  'made_key',
  'set_password',
  'wrote_config',
  'wrote_config_preset',
  'wrote_input_preset',
  'wrote_rule',
  'wrote_schedule',
  'sent_delivery',
  'gave_inputs',
  'caused_event',
  'shaped_earlier_run',
] as const
export type Contribution = (typeof CONTRIBUTIONS)[number]

/** A person or a service account that has shaped a run, and by what: the name of a preset or a rule, the id of an account or a key. */
export interface Contributor {
  id: string
  did: Contribution
  what?: string
  /** counts as a requester of the run, and not only as an author */
  asked?: true
}

/**
 * The user who provided an account or a key: who invited the account `of`, set its password or made its key (or, where `of` is a key, that
 * key).
 */
export interface Maker {
  of: string
  by: string
  did: 'invited_account' | 'made_key' | 'set_password'
  /** the key, where it is one */
  key?: string | null
}

/** The actor of every act while authentication is off. It is no person. */
const NOBODY = 'usr_local'

/**
 * Returns everyone who shaped a run: its requesters, the authors of the documents that it uses, and the people behind the service accounts
 * among them. `makers` come from the records of those accounts and keys.
 */
export function contributors(
  { actor, human_root }: JsonObject,
  written: readonly Contributor[],
  makers: readonly Maker[],
): Contributor[] {
  const asked: JsonObject = { actor: actor ?? null, human_root: human_root ?? null }
  const authors = written.filter(isPerson)
  return distinct([
    ...askers(asked),
    ...behind(requestersAndCancellers(asked), makers).map((each): Contributor => ({ ...each, asked: true })),
    ...authors,
    ...behind(
      authors.map(({ id }) => id),
      makers,
    ),
  ])
}

/**
 * Returns the people behind accounts and keys, and behind those who made them. An account that is named with a key of its own leads to the
 * maker of that key; any other account, also one that made another, to the makers of all its keys.
 */
export function behind(ids: readonly string[], makers: readonly Maker[]): Contributor[] {
  const named = new Set(ids)
  const keysOf = (id: string) => makers.flatMap(({ of, key }) => (of === id && typeof key === 'string' ? [key] : []))
  const found: Contributor[] = []
  const seen = new Set<string>()
  const open = ids.map((id) => ({ id, isKeyKnown: keysOf(id).some((key) => named.has(key)) }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { id, isKeyKnown } = next
    for (const { of, by, did, key } of makers) {
      const isKey = typeof key === 'string'
      if (of !== id || (isKey && isKeyKnown && !named.has(key))) continue
      found.push({ id: by, did, what: isKey && isKeyKnown ? key : id })
      if (seen.has(by)) continue
      seen.add(by)
      open.push({ id: by, isKeyKnown: false })
    }
  }
  return distinct(found)
}

/** Returns the recorded contributors of a run; its requesters, where the record names none. */
export function contributorsOf(provenance: JsonObject): Contributor[] {
  const kept = provenance['contributors']
  if (!Array.isArray(kept)) return askers(provenance)
  return kept.filter(isObject).map(({ id, did, what, asked }) => ({
    id: textOf(id),
    did: CONTRIBUTIONS.find((each) => each === did) ?? 'asked',
    ...(typeof what === 'string' && { what }),
    ...(asked === true && { asked }),
  }))
}

/**
 * Returns the users whose approval a gate refuses. With `prevent_self`: everyone who shaped the run. Without it, this matters for service
 * accounts and delegations only: the requesters, and the makers of the account and the key that the request used.
 */
export function barredFrom({ prevent_self }: Pick<Required, 'prevent_self'>, provenance: JsonObject): string[] {
  const barred = new Set(requestersAndCancellers(provenance))
  for (const { id, asked } of contributorsOf(provenance)) if (prevent_self || asked) barred.add(id)
  return [...barred]
}

/** Returns the contributors of an earlier run, which also shaped the runs that follow from it. */
export function shapedBefore(runId: string, provenance: JsonObject): Contributor[] {
  const ids = new Set([...requestersAndCancellers(provenance), ...contributorsOf(provenance).map(({ id }) => id)])
  return [...ids].map((id): Contributor => ({ id, did: 'shaped_earlier_run', what: runId })).filter(isPerson)
}

function isPerson({ id }: Contributor): boolean {
  return id.startsWith('usr_') && id !== NOBODY
}

/** Returns the contributors in their stored form. */
export function contributorsAsJson(all: readonly Contributor[]): Json {
  return all.map(({ id, did, what, asked }) => ({
    id,
    did,
    ...(what !== undefined && { what }),
    ...(asked && { asked }),
  }))
}

function askers(provenance: JsonObject): Contributor[] {
  const { actor, human_root } = provenance
  const { id, type } = isObject(actor) ? actor : {}
  const { user_id, cancelled_by } = isObject(human_root) ? human_root : {}
  const cancelled = Array.isArray(cancelled_by) ? cancelled_by : []
  return requestersAndCancellers(provenance).flatMap((each): Contributor[] => {
    if (!each.startsWith('usr_')) return []
    if (each === id) return [{ id: each, did: 'started' }]
    if (each === user_id && type === 'schedule') return [{ id: each, did: 'wrote_schedule', what: textOf(id) }]
    return [{ id: each, did: cancelled.includes(each) ? 'cancelled' : 'asked' }]
  })
}

function distinct(all: readonly Contributor[]): Contributor[] {
  const textOfEach = ({ id, did, what }: Contributor) => `${id} ${did} ${what ?? ''}`
  // entries about requesters come first, and win
  return [...new Map([...all].reverse().map((each) => [textOfEach(each), each])).values()].reverse()
}
