import type { CloudEvent } from '../bus/cloud-event.ts'
import type { Contributor } from '../gate/contributors.ts'
import { isObject, type Json, type JsonObject } from '../json/json.ts'

const RUN_ID = /^run_[0-9a-z]{26}$/
/** Most times that one skill may occur in the chain of runs behind an event. */
const MAX_DEPTH = 3

/** The run that an event is about; undefined when it is about none. */
export function eventRun({
  data,
  subject,
  partitionkey,
  source,
}: Pick<CloudEvent, 'data' | 'subject' | 'partitionkey' | 'source'>): string | undefined {
  // a template's own claims do not prove the origin of its event
  if (source.startsWith('svc/packs/')) return isRunId(partitionkey) ? partitionkey : undefined
  const named = isObject(data) ? [data['run_id'], data['id']] : []
  return [...named, subject, partitionkey, source.split('/').at(-1)].find(isRunId)
}

/** Sources of events whose actor the service sets itself. */
const OURS = ['svc/runs', 'svc/ask']

/** Returns the actor behind an event; a template's own claims do not prove it. */
export function eventCause({ data, source }: Pick<CloudEvent, 'data' | 'source'>, what: string): Contributor[] {
  const actor = isObject(data) && isObject(data['actor']) ? data['actor']['id'] : undefined
  const isKnown =
    typeof actor === 'string' && actor !== '' && OURS.some((each) => source === each || source.startsWith(`${each}/`))
  return isKnown ? [{ id: actor, did: 'caused_event', what }] : []
}

/** True for an event of a dry run. */
export function isOfDryRun({ data }: { data?: Json }): boolean {
  return isObject(data) && data['dry_run'] === true
}

/** The skills that led, one through the other, to the run of this provenance; the first is the oldest. */
export function skillChain(provenance: JsonObject | undefined): string[] {
  const trigger = provenance?.['trigger']
  const chain = isObject(trigger) ? trigger['chain'] : undefined
  return Array.isArray(chain) ? chain.filter((each) => typeof each === 'string') : []
}

/** Tells whether a skill has started so many of the runs behind an event that it must not react to it. */
export function isLoop(skillId: string, chain: string[]): boolean {
  return chain.filter((each) => each === skillId).length >= MAX_DEPTH
}

/** The person at the beginning of the run that an event is about, seen through the skill. */
export function humanRootOf(provenance: JsonObject | undefined, skillId: string): { user_id?: string; via: string[] } {
  const root = provenance?.['human_root']
  const { user_id, via } = isObject(root) ? root : {}
  const before = Array.isArray(via) ? via.filter((each) => typeof each === 'string') : []
  return { ...(typeof user_id === 'string' && { user_id }), via: [...before, `skill:${skillId}`, 'bus'] }
}

function isRunId(value: Json | undefined): value is string {
  return typeof value === 'string' && RUN_ID.test(value)
}
