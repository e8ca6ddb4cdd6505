import { requesterIds } from '#core/gate/requester.ts'
import type { JsonObject } from '#core/json.ts'
import { shapersOf } from '#core/pipeline/shapers-of.ts'
import type { AskedBy, ChildRecord, PipelineSnapshot, PipelineStepRecord } from '#core/pipeline/snapshot.ts'
import { objectOf, textOf } from '#core/record-data.ts'
import { eventRun } from '#core/skill/event-origin.ts'
import type { LoadedPipeline, PipelineStore } from '#store/pipelines.ts'

/**
 * Who has asked for a run beside whoever started the pipeline: people whose inputs, or whose events, go into what it is given, directly or
 * through the outcome of other steps, and for a compensation whoever cancelled the pipeline. Who only let a step begin has not.
 */
export async function handsOf(
  { requestersOf }: Pick<PipelineStore, 'requestersOf'>,
  { snapshot, definition }: LoadedPipeline,
  { step_id, role }: ChildRecord,
): Promise<string[]> {
  const shapers = shapersOf(definition, step_id)
  const events = definition.steps.filter(({ id, kind }) => kind === 'event' && shapers.has(id)).map(({ id }) => id)
  const steps = snapshot.steps.filter(({ id }) => shapers.has(id))
  const heard = steps.filter(({ id }) => events.includes(id)).map(({ outputs }) => objectOf(outputs?.['event']))
  const runs = heard.flatMap((event) => runOf(event) ?? [])
  const behind = runs.length === 0 ? [] : await requestersOf(snapshot.workspace_id, runs)
  const cancelling = role === 'compensation' ? cancellers(snapshot) : []
  return [...new Set([...steps.flatMap(advancers), ...heard.flatMap(tellers), ...behind, ...cancelling])]
}

function advancers({ advanced }: PipelineStepRecord): string[] {
  return advanced === null || Object.keys(advanced.inputs).length === 0 ? [] : allOf(advanced)
}

/** What failed is taken back because the bundle says so: whoever cancels then has not asked for it. */
function cancellers({ cancel, closing }: PipelineSnapshot): string[] {
  return cancel === null || closing?.as !== 'cancelled' ? [] : allOf(cancel)
}

function allOf({ by, human_root }: AskedBy): string[] {
  return requesterIds({
    actor: { id: by ?? null },
    human_root: { user_id: human_root?.user_id ?? null, via: human_root?.via ?? [] },
  })
}

function runOf({ data = null, subject, partitionkey, source }: JsonObject): string | undefined {
  return eventRun({ data, subject: textOf(subject), partitionkey: textOf(partitionkey), source: textOf(source) })
}

/** Whoever did what the event tells of; what a template says of itself is no evidence of that. */
function tellers({ data, source }: JsonObject): string[] {
  const id = textOf(objectOf(objectOf(data)['actor'])['id'])
  return id === '' || !textOf(source).startsWith('svc/runs') ? [] : [id]
}
