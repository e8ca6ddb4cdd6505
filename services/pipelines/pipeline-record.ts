import { usdFromMicro } from '#core/money.ts'
import { notTakenBack } from '#core/pipeline/pipeline-facts.ts'
import type { Pipeline } from '#core/pipeline/schema.ts'
import { isPipelineEnd } from '#core/pipeline/transitions.ts'
import type { PipelineStep } from '#core/pipeline/types.ts'
import { isoOfDatabase } from '#core/time/time.ts'
import type { PipelineRunView, PipelineStepView, PipelineView } from '#store/pipelines/pipeline-views.ts'

type StepRecord = Pipeline['steps'][number]

/** Returns a pipeline for the answer: money in dollars, absent instead of null, its steps with their outcomes. */
export function toPipelineRecord(view: PipelineView): Pipeline {
  const { id, workspace_id, name, environment, environment_class, profile, status, definition, provenance } = view
  return {
    id,
    workspace_id,
    name,
    environment,
    environment_class,
    profile,
    status,
    provenance,
    title: definition.title,
    bundle: { path: view.bundle_path, digest: view.bundle_digest },
    ...(!isPipelineEnd(status) && statusReason(view)),
    steps: view.steps.flatMap((record) => {
      const step = definition.steps.find((each) => each.id === record.id)
      return step === undefined ? [] : [toStepRecord(step, record)]
    }),
    inputs: view.inputs,
    ...known('outputs', view.outputs),
    ...known('error', view.error),
    ...notTakenBackOf(view),
    ...known('reason', view.reason),
    total_usd: usdFromMicro(view.spent_micro_usd),
    reserved_usd: usdFromMicro(view.reserved_micro_usd),
    cap_usd: usdFromMicro(view.cap_micro_usd),
    created_at: view.created_at,
    ...known('started_at', view.started_at),
    ...known('ended_at', view.ended_at),
    updated_at: view.updated_at,
    links: {
      self: `/pipelines/${id}`,
      config: `/pipelines/${id}/config`,
      events: `/pipelines/${id}/events`,
      stream: `/pipelines/${id}/stream`,
    },
  }
}

function statusReason({ cancel, closing, steps }: PipelineView): Pick<Pipeline, 'status_reason'> {
  const isTakenBack = steps.some(({ runs }) => runs.some(({ role }) => role === 'compensation'))
  if (closing !== null && isTakenBack) return { status_reason: 'compensating' }
  if (cancel !== null) return { status_reason: 'cancelling' }
  return closing === null ? {} : { status_reason: 'closing' }
}

/** Returns the runs that should have been compensated and were not. */
function notTakenBackOf({ steps }: PipelineView): Pick<Pipeline, 'not_taken_back'> {
  const left = steps.flatMap(({ id, runs }) =>
    notTakenBack(runs).map(({ index, run_id, status, error }) => ({
      step: id,
      index,
      run_id,
      status,
      ...known('error', error),
    })),
  )
  return left.length === 0 ? {} : { not_taken_back: left }
}

function toStepRecord(step: PipelineStep, record: PipelineStepView): StepRecord {
  const runs = record.runs.filter(({ role }) => role === 'run')
  const gates = record.runs.flatMap(({ gate_id }) => gate_id ?? [])
  return {
    id: step.id,
    title: step.title,
    kind: step.kind,
    needs: step.needs,
    ...(step.kind === 'run' && { uses: `${step.uses.pack}/${step.uses.template}`, gate: step.gate }),
    on_failure: step.on_failure,
    state: record.state,
    ...known('reason', record.reason),
    ...known('run_id', onlyOne(runs)),
    ...known('gate_id', gates.length === 1 ? (gates[0] ?? null) : null),
    runs: record.runs.map(toRunRecord),
    ...known('fire_at', record.fire_at && isoOfDatabase(record.fire_at)),
    ...known('topic', record.topic),
    ...(step.kind === 'event' && step.matches !== undefined && { matches: step.matches }),
    ...known('deadline_at', record.deadline_at && isoOfDatabase(record.deadline_at)),
    ...known('advanced', record.advanced),
    ...known('outputs', record.outputs),
    ...known('error', record.error),
    ...known('started_at', record.started_at && isoOfDatabase(record.started_at)),
    ...known('ended_at', record.ended_at && isoOfDatabase(record.ended_at)),
  }
}

function onlyOne([run, ...others]: PipelineRunView[]): string | null {
  return run === undefined || others.length > 0 || run.status === 'refused' ? null : run.run_id
}

function toRunRecord({
  run_id,
  index,
  role,
  status,
  gate_id,
  error,
  total_micro_usd,
}: PipelineRunView): StepRecord['runs'][number] {
  return {
    run_id,
    index,
    role,
    status,
    ...known('gate_id', gate_id),
    ...known('error', error),
    total_usd: usdFromMicro(total_micro_usd),
  }
}

function known<Name extends string, Value>(name: Name, value: Value | null): { [Key in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { [Key in Name]?: Value }
}
