import { DomainError, isTransient } from '#core/errors.ts'
import { type Contributor, contributorsOf } from '#core/gate/contributors.ts'
import { type JsonObject, objectOf } from '#core/json/json.ts'
import { reasonOfRun } from '#core/pipeline/pipeline-facts.ts'
import type { ChildRecord, StartFact } from '#core/pipeline/snapshot.ts'
import type { RunStep, TemplateName } from '#core/pipeline/types.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import { holdsSecretMark } from '#core/secret/secret-mark.ts'
import { cutText } from '#core/text/text.ts'
import type { LoadedPipeline, PipelineStore } from '#store/pipelines/pipelines.ts'
import type { StartContext } from '../context.ts'
import type { Admission } from '../runs/admission.ts'
import { admitRuns } from '../runs/admit-run.ts'
import { cancellersOf, childContributors } from './contributors-of.ts'
import { startLater } from './start-layers.ts'

export type ChildReads = Pick<PipelineStore, 'requestersOf' | 'provenanceOf' | 'whoCancelled' | 'givenTo'>

/** Starts runs that a pipeline waits for, and returns the outcome of those that were not recorded. */
export async function admitChildren(
  ctx: StartContext,
  reads: ChildReads,
  loaded: LoadedPipeline,
  children: ChildRecord[],
): Promise<Map<string, StartFact>> {
  const starts = new Map<string, StartFact>()
  if (children.length === 0) return starts
  const outcomes = await admitRuns(
    ctx,
    await Promise.all(
      children.map(async (child) => {
        const [{ contributors, shaped_by }, cancelled_by, inputs] = await Promise.all([
          childContributors(reads, loaded, child),
          child.role === 'compensation' ? cancellersOf(reads, loaded.snapshot) : [],
          inputsOf(ctx, reads, loaded, child),
        ])
        return {
          ...admissionOf(ctx, loaded, child, { contributors, cancelled_by }),
          shaped_by: [...shaped_by, ...ofPipeline(loaded)],
          inputs,
        }
      }),
    ),
  )
  outcomes.forEach((outcome, index) => {
    const child = children[index]
    if (child === undefined || outcome.kind === 'admitted') return
    starts.set(child.run_id, startFact(outcome.error, child, loaded.now_ms))
  })
  return starts
}

/** Contributors of a pipeline are contributors of its runs: as of its admission, also behind an account that has changed since. */
function ofPipeline({ provenance }: LoadedPipeline): Contributor[] {
  return contributorsOf(provenance)
}

function admissionOf(
  { packs }: StartContext,
  loaded: LoadedPipeline,
  child: ChildRecord,
  { contributors, cancelled_by }: { contributors: string[]; cancelled_by: string[] },
): Omit<Admission, 'inputs'> {
  const { snapshot, definition, profile, provenance } = loaded
  const { step, name } = templateOf(loaded, child)
  const reason = reasonOfRun(snapshot, step, child)
  const digest = definition.template_digests[`${name.pack}/${name.template}`]
  const isCompensation = child.role === 'compensation'
  const hasChanged = digest !== packs.findTemplate(name.pack, name.template)?.plan.digest
  const root = objectOf(provenance['human_root'])
  const via = Array.isArray(root['via']) ? root['via'].filter((each) => typeof each === 'string') : []
  return {
    run_id: child.run_id,
    ...name,
    // what has acted is taken back by the template of today: to refuse that would leave the effect
    ...(digest !== undefined && !isCompensation && { template_digest: digest }),
    environment: snapshot.environment,
    profile,
    lane: 'background',
    ...(child.role === 'run' && step.gate === 'approval' && { gate: 'approval' as const }),
    ...(reason !== null && { reason }),
    trigger: {
      type: 'pipeline',
      id: snapshot.id,
      pipeline_id: snapshot.id,
      name: snapshot.name,
      step: child.step_id,
      ...(isCompensation && { compensation: true }),
      ...(digest !== undefined && isCompensation && hasChanged && { template_before: { digest } }),
    },
    pipeline: { id: snapshot.id, step: child.step_id, ...(step.for_each !== undefined && { index: child.index }) },
    human_root: {
      ...(typeof root['user_id'] === 'string' && { user_id: root['user_id'] }),
      via: [...via, snapshot.id, ...contributors],
      ...(cancelled_by.length > 0 && { cancelled_by }),
    },
  }
}

function templateOf({ definition }: LoadedPipeline, child: ChildRecord): { step: RunStep; name: TemplateName } {
  const step = definition.steps.find((each): each is RunStep => each.kind === 'run' && each.id === child.step_id)
  const name = child.role === 'run' ? step?.uses : step?.compensate
  if (step === undefined || name === undefined) throw new DomainError('internal', `no template for ${child.run_id}`)
  return { step, name }
}

/**
 * Returns the inputs of a compensation: those of the compensated run that its template takes. The run's record tells where it acted, even
 * if defaults and presets have changed. Secrets are left out: only the run itself has them.
 */
async function inputsOf(
  { packs }: StartContext,
  { givenTo }: ChildReads,
  loaded: LoadedPipeline,
  child: ChildRecord,
): Promise<JsonObject> {
  if (child.role === 'run') return child.inputs
  const { pack, template } = templateOf(loaded, child).name
  const schema = packs.findTemplate(pack, template)?.inputs_schema ?? {}
  const known = objectOf(schema['properties'])
  const { own, all } = await givenTo(loaded.snapshot.id, child)
  const given = Object.entries(all).filter(([name, value]) => Object.hasOwn(known, name) && !holdsSecretMark(value))
  // a default of the one template may be nothing for the other
  const unfit = new Set(validateInputs(schema, Object.fromEntries(given)).errors.map(({ loc }) => loc[0]))
  return Object.fromEntries(given.filter(([name]) => Object.hasOwn(own, name) || !unfit.has(name)))
}

/** A passing failure is retried within the time of the step. A halt or a freeze delays a run and does not fail it. */
export function startFact(error: DomainError, child: Pick<ChildRecord, 'step_id'>, now_ms: number): StartFact {
  const { code, message } = error
  const isHeld = code === 'halted' || code === 'frozen' || code === 'conflict'
  if (isHeld || isTransient(code)) return startLater(now_ms, code)
  // the wording of a manual start, whose user has seen a template
  const detail =
    code === 'plan_changed'
      ? 'its template, or something else in its pack, has changed since the pipeline began'
      : message
  return {
    kind: 'refused',
    error: { code, message: cutText(detail, 1_000), step: child.step_id },
  }
}
