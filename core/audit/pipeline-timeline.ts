import { isCompensation } from '../gate/requester.ts'
import { type JsonObject, nullable, objectOf, textOf, textsOf } from '../json/json.ts'
import { MICRO_PER_USD } from '../money.ts'
import { buildTimeline, type RunTimeline } from './timeline.ts'
import type { AuditEvent } from './types.ts'

/** A user who advanced a step, or cancelled the pipeline. */
export interface PipelineAct {
  act: 'advanced' | 'cancelled'
  step: string | null
  by: string
  auth: string
  channel: string
  at: string
  note: string | null
}

export interface PipelineRunTimeline {
  step: string
  role: 'run' | 'compensation'
  story: RunTimeline
}

/** A pipeline and its runs, as told by the chain alone. */
export interface PipelineTimeline {
  pipeline_id: string
  name: string
  bundle: string
  bundle_digest: string
  environment: string
  at: string
  requested_by: string
  auth: string
  channel: string
  human_root: string | null
  cap_usd: string
  acts: PipelineAct[]
  /** in the order in which they began */
  runs: PipelineRunTimeline[]
  /** runs that its end names and of which no record tells: their starts were refused */
  not_started: string[]
  /** answers, claims and links that were refused, of it and of its runs */
  refused: number
  cost_usd: string
  ended: { status: string; at: string } | null
  /** nothing that had to be approved ran otherwise, in any of its runs */
  as_approved: boolean
}

/** The pipeline that a record begins a run of; undefined for any other record. */
export function pipelineOfRecord({ action, data }: AuditEvent): string | undefined {
  const trigger = objectOf(data['trigger'])
  const isStart = action === 'run.admitted' && trigger['type'] === 'pipeline'
  return isStart ? (nullable(trigger['pipeline_id']) ?? undefined) : undefined
}

/** Builds the timeline of a pipeline from its records and those of its runs, in their order; undefined when its beginning is not among them. */
export function buildPipelineTimeline(events: readonly AuditEvent[]): PipelineTimeline | undefined {
  const begun = events.find(({ action }) => action === 'pipeline.admitted')
  if (begun === undefined) return undefined
  const id = begun.subject.id
  const own = events.filter(({ subject }) => subject.id === id)
  const runs = runsOf(events, id)
  const ended = own.find(({ action }) => action === 'pipeline.ended')
  const known = runs.map(({ story }) => story.run_id)
  const refused = own
    .filter(({ action }) => action.endsWith('.refused'))
    .reduce((sum, { data }) => sum + timesOf(data), 0)
  return {
    pipeline_id: id,
    ...beginningOf(begun),
    acts: own.flatMap(actOf),
    runs,
    not_started: textsOf(ended?.data['runs']).filter((run) => !known.includes(run)),
    refused: runs.reduce((sum, { story }) => sum + story.refused, refused),
    cost_usd: (
      runs.reduce((sum, { story }) => sum + Number(story.cost_usd) * MICRO_PER_USD, 0) / MICRO_PER_USD
    ).toFixed(6),
    ended: ended === undefined ? null : { status: textOf(ended.data['status']), at: ended.ts },
    as_approved: runs.every(({ story }) => story.as_approved),
  }
}

function beginningOf({ data, actor, channel, ts }: AuditEvent) {
  const bundle = objectOf(data['bundle'])
  return {
    name: textOf(data['name']),
    bundle: textOf(bundle['path']),
    bundle_digest: textOf(bundle['digest']),
    environment: textOf(data['environment']),
    at: ts,
    requested_by: actor.id,
    auth: actor.auth,
    channel: channel ?? '',
    human_root: nullable(objectOf(data['human_root'])['user_id']),
    cap_usd: textOf(data['cap_usd']),
  }
}

function runsOf(events: readonly AuditEvent[], pipelineId: string): PipelineRunTimeline[] {
  const byRun = new Map<string, AuditEvent[]>()
  for (const event of events)
    if (event.run_id !== undefined) byRun.set(event.run_id, [...(byRun.get(event.run_id) ?? []), event])
  return [...byRun.values()].flatMap((of) => {
    const start = of.find((event) => pipelineOfRecord(event) === pipelineId)
    const story = buildTimeline(of)
    if (start === undefined || story === undefined) return []
    const trigger = objectOf(start.data['trigger'])
    return [{ step: textOf(trigger['step']), role: isCompensation(start.data) ? 'compensation' : 'run', story }]
  })
}

function actOf({ action, actor, channel, ts, data }: AuditEvent): PipelineAct[] {
  const act =
    action === 'pipeline.step_advanced' ? 'advanced' : action === 'pipeline.cancel_requested' ? 'cancelled' : null
  if (act === null) return []
  const who = { by: actor.id, auth: actor.auth, channel: channel ?? '', at: ts }
  return [{ act, step: nullable(data['step']), ...who, note: nullable(data['note']) ?? nullable(data['reason']) }]
}

function timesOf(data: JsonObject): number {
  return typeof data['times'] === 'number' ? data['times'] : 1
}
