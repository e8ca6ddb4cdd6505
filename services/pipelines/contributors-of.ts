import { type Contributor, shapedBefore } from '#core/gate/contributors.ts'
import { requestersAndCancellers } from '#core/gate/requester.ts'
import { type JsonObject, objectOf, textOf } from '#core/json/json.ts'
import { shapersOf } from '#core/pipeline/shapers-of.ts'
import type { AskedBy, ChildRecord, PipelineSnapshot, PipelineStepRecord } from '#core/pipeline/snapshot.ts'
import { eventCause, eventRun } from '#core/skill/event-origin.ts'
import type { LoadedPipeline, PipelineStore } from '#store/pipelines/pipelines.ts'

/**
 * Returns the requesters of a run besides the user who started the pipeline: people whose inputs, or whose events, go into its inputs,
 * directly or through other steps. Advancing a step without inputs does not count.
 */
export async function childContributors(
  { requestersOf, provenanceOf }: Pick<PipelineStore, 'requestersOf' | 'provenanceOf'>,
  { snapshot, definition }: LoadedPipeline,
  { step_id, role, index }: ChildRecord,
): Promise<{ contributors: string[]; shaped_by: Contributor[] }> {
  const shapers = shapersOf(definition, step_id)
  const events = definition.steps.filter(({ id, kind }) => kind === 'event' && shapers.has(id)).map(({ id }) => id)
  const steps = snapshot.steps.filter(({ id }) => shapers.has(id))
  const received = steps.filter(({ id }) => events.includes(id)).map(({ outputs }) => objectOf(outputs?.['event']))
  const runs = received.flatMap((event) => runOf(event) ?? [])
  // a compensation gets the inputs of the run that it compensates
  const takenBack = (each: ChildRecord) => role === 'compensation' && each.role === 'run' && each.index === index
  const before = snapshot.children.filter((each) =>
    each.step_id === step_id ? takenBack(each) : shapers.has(each.step_id),
  )
  const earlier = [...new Set([...runs, ...before.map(({ run_id }) => run_id)])]
  const [requesters, provenances] = await Promise.all([
    runs.length === 0 ? [] : requestersOf(snapshot.workspace_id, runs),
    earlier.length === 0 ? [] : provenanceOf(snapshot.workspace_id, earlier),
  ])
  return {
    contributors: [...new Set([...steps.flatMap(advancers), ...received.flatMap(publishers), ...requesters])],
    shaped_by: [
      ...steps.flatMap((step) => advancers(step).map((id): Contributor => ({ id, did: 'gave_inputs', what: step.id }))),
      ...steps.flatMap(({ id, outputs }) => (events.includes(id) ? causeOf(objectOf(outputs?.['event']), id) : [])),
      ...provenances.flatMap(({ id, provenance }) => shapedBefore(id, provenance)),
    ],
  }
}

function causeOf({ data = null, source }: JsonObject, step: string): Contributor[] {
  return eventCause({ data, source: textOf(source) }, step)
}

function advancers({ advanced }: PipelineStepRecord): string[] {
  return advanced === null || Object.keys(advanced.inputs).length === 0 ? [] : allOf(advanced)
}

/**
 * Returns the users whose cancellation, of the pipeline or of a run of it, caused a compensation: they may not approve it, and it does not
 * depend on their present authority. A failed run is compensated because the bundle demands it.
 */
export async function cancellersOf(
  { whoCancelled }: Pick<PipelineStore, 'whoCancelled'>,
  { cancel, closing, workspace_id }: Pick<PipelineSnapshot, 'cancel' | 'closing' | 'workspace_id'>,
): Promise<string[]> {
  if (closing?.as === 'cancelled') return cancel === null ? [] : allOf(cancel)
  const run_id = closing?.error?.run_id
  return run_id === undefined ? [] : await whoCancelled(workspace_id, run_id)
}

function allOf({ by, human_root }: AskedBy): string[] {
  return requestersAndCancellers({
    actor: { id: by ?? null },
    human_root: { user_id: human_root?.user_id ?? null, via: human_root?.via ?? [] },
  })
}

function runOf({ data = null, subject, partitionkey, source }: JsonObject): string | undefined {
  return eventRun({ data, subject: textOf(subject), partitionkey: textOf(partitionkey), source: textOf(source) })
}

function publishers(event: JsonObject): string[] {
  return causeOf(event, '').map(({ id }) => id)
}
