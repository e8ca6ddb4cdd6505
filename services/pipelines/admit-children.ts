import { DomainError } from '#core/errors.ts'
import { isObject, type JsonObject } from '#core/json.ts'
import type { ChildRecord, StartFact } from '#core/pipeline/snapshot.ts'
import type { RunStep } from '#core/pipeline/types.ts'
import { objectOf } from '#core/record-data.ts'
import type { LoadedPipeline } from '#store/pipelines.ts'
import type { StartContext } from '../context.ts'
import { admitRuns } from '../runs/admit-run.ts'
import type { Admission } from '../runs/draft-run.ts'
import { startFact } from './start-fact.ts'

/** Starts runs that a pipeline waits for, and says what became of those that are not on record afterwards. */
export async function admitChildren(
  ctx: StartContext,
  loaded: LoadedPipeline,
  children: ChildRecord[],
): Promise<Map<string, StartFact>> {
  const starts = new Map<string, StartFact>()
  if (children.length === 0) return starts
  const outcomes = await admitRuns(
    ctx,
    children.map((child) => admissionOf(ctx, loaded, child)),
  )
  outcomes.forEach((outcome, index) => {
    const child = children[index]
    if (child === undefined || outcome.kind === 'admitted') return
    starts.set(child.run_id, startFact(outcome.error, child, loaded.now_ms))
  })
  return starts
}

function admissionOf(ctx: StartContext, loaded: LoadedPipeline, child: ChildRecord): Admission {
  const { snapshot, definition, profile, provenance } = loaded
  const step = definition.steps.find((each): each is RunStep => each.kind === 'run' && each.id === child.step_id)
  const name = child.role === 'run' ? step?.uses : step?.compensate
  if (step === undefined || name === undefined) throw new DomainError('internal', `no template for ${child.run_id}`)
  const digest = definition.template_digests[`${name.pack}/${name.template}`]
  const root = objectOf(provenance['human_root'])
  const via = Array.isArray(root['via']) ? root['via'].filter((each) => typeof each === 'string') : []
  return {
    run_id: child.run_id,
    ...name,
    ...(digest !== undefined && { template_digest: digest }),
    inputs: child.role === 'run' ? child.inputs : declaredOf(ctx, name, child.inputs),
    environment: snapshot.environment,
    profile,
    lane: 'background',
    ...(child.role === 'run' && step.gate === 'approval' && { gate: 'approval' as const }),
    ...(snapshot.reason !== null && { reason: snapshot.reason }),
    trigger: {
      type: 'pipeline',
      id: snapshot.id,
      pipeline_id: snapshot.id,
      name: snapshot.name,
      step: child.step_id,
      ...(child.role === 'compensation' && { compensation: true }),
    },
    pipeline: { id: snapshot.id, step: child.step_id, ...(step.for_each !== undefined && { index: child.index }) },
    human_root: {
      ...(typeof root['user_id'] === 'string' && { user_id: root['user_id'] }),
      via: [...via, snapshot.id, ...giverOf(loaded, child)],
    },
  }
}

/** Someone who replaced inputs of a step counts as a requester of its runs, and so cannot approve them. */
function giverOf({ snapshot }: LoadedPipeline, { step_id }: ChildRecord): string[] {
  const { advanced } = snapshot.steps.find(({ id }) => id === step_id) ?? {}
  return advanced?.by === undefined || Object.keys(advanced.inputs).length === 0 ? [] : [advanced.by]
}

/** A compensation gets those inputs of the run it undoes that its own template declares. */
function declaredOf({ packs }: StartContext, name: { pack: string; template: string }, inputs: JsonObject): JsonObject {
  const properties = packs.findTemplate(name.pack, name.template)?.inputs_schema['properties']
  const known = isObject(properties) ? properties : {}
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => Object.hasOwn(known, key)))
}
