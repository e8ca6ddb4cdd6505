import { DomainError } from '#core/errors.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import { usdFromMicro } from '#core/money.ts'
import type { PipelineConfig } from '#core/pipeline/schema.ts'
import type { PipelineStep, RunStep } from '#core/pipeline/types.ts'
import { objectOf } from '#core/record-data.ts'
import { secretPaths } from '#core/secret/secret-paths.ts'
import type { PipelineStepView, PipelineView } from '#store/pipeline-views.ts'
import type { ServiceContext } from '../context.ts'
import type { PipelinePorts } from './ports.ts'
import { renderedWith } from './rendered-with.ts'

type Composed = PipelineConfig['inputs'][number]
type Layer = Composed['layer']

/** Every value that a pipeline is composed of, with the layer that it comes from. Inputs that templates keep secret are left out. */
export async function getPipelineConfig(ctx: ServiceContext & PipelinePorts, id: string): Promise<PipelineConfig> {
  const view = await ctx.pipelines.views.find(ctx.workspace_id, id)
  if (view === undefined) throw new DomainError('not_found', `no pipeline ${id}`)
  const steps = view.definition.steps.map((step) => composeStep(ctx, view, step))
  return {
    pipeline_id: id,
    settings: [
      { name: 'bundle_path', value: view.bundle_path, layer: 'request' },
      { name: 'bundle_digest', value: view.bundle_digest, layer: 'bundle' },
      { name: 'environment', value: view.environment, layer: 'request' },
      { name: 'profile', value: view.profile, layer: 'environment' },
      {
        name: 'cap_usd',
        value: usdFromMicro(view.cap_micro_usd),
        layer: view.definition.cap_micro_usd === undefined ? 'environment' : 'bundle',
      },
    ],
    inputs: layered(view.definition.inputs_schema, [['request', view.inputs]]),
    steps: await Promise.all(steps),
  }
}

async function composeStep(
  ctx: ServiceContext & PipelinePorts,
  view: PipelineView,
  step: PipelineStep,
): Promise<PipelineConfig['steps'][number]> {
  const record = view.steps.find(({ id }) => id === step.id)
  const settings = settingsOf(step)
  if (step.kind !== 'run') return { id: step.id, settings, inputs: [] }
  const { pack, template } = step.uses
  const name = `${pack}/${template}`
  const digest = view.definition.template_digests[name] ?? ''
  const now = ctx.packs.findTemplate(pack, template)
  return {
    id: step.id,
    template: { name, digest, changed: now?.plan.digest !== digest },
    settings,
    inputs: await composeInputs(ctx, view, step, record),
  }
}

async function composeInputs(
  ctx: ServiceContext,
  view: PipelineView,
  step: RunStep,
  record: PipelineStepView | undefined,
): Promise<Composed[]> {
  const { pack, template } = step.uses
  const schema = ctx.packs.findTemplate(pack, template)?.inputs_schema ?? {}
  const rows = await ctx.presets.ofStart(ctx.workspace_id, { pack, template })
  const of = (kind: string) => rows.find((row) => row.kind === kind)?.inputs
  const advanced = objectOf(record?.advanced?.['inputs'])
  const hidden = new Set(secretPaths(schema).map((pointer) => pointer.split('/')[1]))
  return layered(
    schema,
    [
      ['workflow', of('workflow')],
      ['config_preset', of('config')],
      ['step', knownWith(view, step) ?? step.with],
      ['advance', advanced],
    ],
    step.with,
  ).filter(({ name }) => !hidden.has(name))
}

/** What the step gives its runs, as far as that is known by now. */
function knownWith(view: PipelineView, step: RunStep): JsonObject | undefined {
  try {
    return renderedWith(view, step)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

/** Each input by the last layer that names it; else the default of the schema. */
function layered(schema: JsonObject, layers: [Layer, JsonObject | undefined][], written: JsonObject = {}): Composed[] {
  const properties = objectOf(schema['properties'])
  const names = new Set([...Object.keys(properties), ...layers.flatMap(([, values]) => Object.keys(values ?? {}))])
  return [...names].map((name): Composed => {
    const said = layers.findLast(([, values]) => values !== undefined && Object.hasOwn(values, name))
    if (said !== undefined) {
      const [layer, values] = said
      const value = values?.[name]
      if (layer !== 'step' || value !== written[name]) return { name, value, layer, ...wroteIt(layer, written[name]) }
      return holdsExpression(value) ? { name, written: value, layer } : { name, value, layer }
    }
    const property = properties[name]
    const preset = isObject(property) ? property['default'] : undefined
    return preset === undefined ? { name, layer: 'unset' } : { name, value: preset, layer: 'template' }
  })
}

function wroteIt(layer: Layer, written: Json | undefined): Pick<Composed, 'written'> {
  return layer === 'step' && holdsExpression(written) ? { written } : {}
}

function holdsExpression(value: Json | undefined): boolean {
  return JSON.stringify(value ?? null).includes('${{')
}

function settingsOf(step: PipelineStep): Composed[] {
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
