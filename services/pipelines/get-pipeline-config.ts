import { type Json, objectOf, textOf, textsOf } from '#core/json/json.ts'
import { usdFromMicro } from '#core/money.ts'
import type { PipelineConfig } from '#core/pipeline/config-schema.ts'
import type { PipelineStep } from '#core/pipeline/types.ts'
import type { GivenInputs, PipelineView } from '#store/pipelines/pipeline-views.ts'
import type { ServiceContext } from '../context.ts'
import { composeInputs, itemsOf } from './compose-inputs.ts'
import { getPipelineView } from './pipelines.ts'
import type { PipelinePorts } from './ports.ts'

type Composed = PipelineConfig['inputs'][number]
type Layer = Composed['layer']

/**
 * Returns every value of a pipeline, with its layer. A step that has begun has the values of its run, or of its entry in a list; any other
 * step has those that it would get now. Secret inputs are left out.
 */
export async function getPipelineConfig(
  ctx: ServiceContext & PipelinePorts,
  { pipeline_id: id, entry }: { pipeline_id: string; entry: number },
): Promise<PipelineConfig> {
  const view = await getPipelineView(ctx, id)
  const given = await ctx.pipelines.views.given(ctx.workspace_id, id, [0, entry])
  const steps = view.definition.steps.map((step) => {
    const index = step.kind === 'run' && step.for_each !== undefined ? entry : 0
    return composeStep(ctx, view, step, {
      index,
      given: given.find((each) => each.step_id === step.id && each.index === index),
    })
  })
  return {
    pipeline_id: id,
    settings: settingsOf(view),
    inputs: inputsOf(view),
    steps: await Promise.all(steps),
  }
}

function settingsOf(view: PipelineView): Composed[] {
  const layers = objectOf(view.provenance['layers'])
  return [
    { name: 'bundle_path', value: view.bundle_path, layer: 'request' },
    { name: 'bundle_digest', value: view.bundle_digest, layer: 'bundle' },
    { name: 'pipeline_name', value: view.name, layer: keptLayer(layers['name']) },
    { name: 'environment', value: view.environment, layer: keptLayer(layers['environment']) },
    { name: 'profile', value: view.profile, layer: keptLayer(layers['profile']) },
    { name: 'cap_usd', value: usdFromMicro(view.cap_micro_usd), layer: keptLayer(layers['cap_usd']) },
  ]
}

const KEPT: readonly Layer[] = ['request', 'bundle', 'profile', 'environment', 'workspace']

function keptLayer(layer: Json | undefined): Layer {
  return KEPT.find((each) => each === textOf(layer)) ?? 'default'
}

/** Recorded inputs include the bundle's defaults. */
function inputsOf({ definition, inputs, provenance }: PipelineView): Composed[] {
  const asked = textsOf(objectOf(provenance['layers'])['inputs'])
  const names = new Set([...Object.keys(objectOf(definition.inputs_schema['properties'])), ...Object.keys(inputs)])
  return [...names].map((name): Composed => {
    if (!Object.hasOwn(inputs, name)) return { name, layer: 'unset' }
    return { name, value: inputs[name], layer: asked.includes(name) ? 'request' : 'bundle' }
  })
}

async function composeStep(
  ctx: ServiceContext,
  view: PipelineView,
  step: PipelineStep,
  of: { index: number; given: GivenInputs | undefined },
): Promise<PipelineConfig['steps'][number]> {
  const settings = settingsOfStep(step)
  if (step.kind !== 'run') return { id: step.id, settings, inputs: [] }
  const { pack, template } = step.uses
  const name = `${pack}/${template}`
  const digest = view.definition.template_digests[name] ?? ''
  const now = ctx.packs.findTemplate(pack, template)
  const count = itemsOf(view, step)?.length
  return {
    id: step.id,
    template: { name, digest, changed: now?.plan.digest !== digest },
    ...(step.for_each !== undefined && { entry: { index: of.index, ...(count !== undefined && { count }) } }),
    settings,
    inputs: count !== undefined && of.index >= count ? [] : await composeInputs(ctx, view, step, of),
  }
}

function settingsOfStep(step: PipelineStep): Composed[] {
  const { needs, when, on_failure } = step
  const own: [string, Json | undefined][] =
    step.kind === 'run'
      ? [
          ['gate', step.gate],
          ['timeout_ms', step.timeout_ms],
          ['for_each', step.for_each && { ...step.for_each }],
          ['compensate', step.compensate && `${step.compensate.pack}/${step.compensate.template}`],
        ]
      : step.kind === 'timer'
        ? [['schedule', { ...step.timer }]]
        : [
            ['on', step.topic],
            ['matches', step.matches],
            ['look_back_ms', step.look_back_ms],
            ['timeout_ms', step.timeout_ms],
          ]
  const all: [string, Json | undefined][] = [['needs', needs], ['when', when], ['on_failure', on_failure], ...own]
  return all.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value, layer: 'bundle' as const }]))
}
