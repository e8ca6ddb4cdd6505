import type { JsonObject } from '#core/json.ts'
import { shapersOf } from '#core/pipeline/shapers-of.ts'
import type { ChildRecord, PipelineStepRecord } from '#core/pipeline/snapshot.ts'
import { objectOf, textOf } from '#core/record-data.ts'
import { eventRun } from '#core/skill/event-origin.ts'
import type { LoadedPipeline, PipelineStore } from '#store/pipelines.ts'

/**
 * Who has asked for a run beside whoever started the pipeline: people whose inputs, or whose events, go into what it is given, directly or
 * through the outcome of other steps. Who only let a step begin has not.
 */
export async function handsOf(
  { requestersOf }: Pick<PipelineStore, 'requestersOf'>,
  { snapshot, definition }: LoadedPipeline,
  { step_id }: ChildRecord,
): Promise<string[]> {
  const shapers = shapersOf(definition, step_id)
  const events = definition.steps.filter(({ id, kind }) => kind === 'event' && shapers.has(id)).map(({ id }) => id)
  const steps = snapshot.steps.filter(({ id }) => shapers.has(id))
  const heard = steps.filter(({ id }) => events.includes(id)).map(({ outputs }) => objectOf(outputs?.['event']))
  const runs = heard.flatMap((event) => runOf(event) ?? [])
  const behind = runs.length === 0 ? [] : await requestersOf(snapshot.workspace_id, runs)
  return [...new Set([...steps.flatMap(advancers), ...heard.flatMap(tellers), ...behind])]
}

function advancers({ advanced }: PipelineStepRecord): string[] {
  if (advanced === null || Object.keys(advanced.inputs).length === 0) return []
  const { by, human_root } = advanced
  return [by, human_root?.user_id, ...(human_root?.via ?? [])].filter((id) => id !== undefined)
}

function runOf({ data = null, subject, partitionkey, source }: JsonObject): string | undefined {
  return eventRun({ data, subject: textOf(subject), partitionkey: textOf(partitionkey), source: textOf(source) })
}

/** Whoever did what the event tells of; what a template says of itself is no evidence of that. */
function tellers({ data, source }: JsonObject): string[] {
  const id = textOf(objectOf(objectOf(data)['actor'])['id'])
  return id === '' || !textOf(source).startsWith('svc/runs') ? [] : [id]
}
