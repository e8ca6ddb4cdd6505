import { DomainError } from '#core/errors.ts'
import { createBudget } from '#core/expression/evaluation-budget.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import { isObject, type Json, type JsonObject, objectOf, pointerParts } from '#core/json/json.ts'
import type { PipelineConfig } from '#core/pipeline/config-schema.ts'
import { scopeOf } from '#core/pipeline/scope-of.ts'
import type { RunStep } from '#core/pipeline/types.ts'
import { evaluate } from '#core/pipeline/work.ts'
import { holdsSecretMark } from '#core/secret/secret-mark.ts'
import { secretPaths } from '#core/secret/secret-paths.ts'
import type { PresetRow } from '#store/authored/presets.ts'
import type { GivenInputs, PipelineView } from '#store/pipelines/pipeline-views.ts'
import type { ServiceContext } from '../context.ts'

/** A person waits for it, in the process that answers all others. */
const MAX_UNITS = 500_000

/** The inputs that a step would give its run now, or the run of one entry. Throws `conflict` where they are not known yet. */
export function renderedWith(view: PipelineView, step: RunStep, index = 0): JsonObject {
  const scope = scopeOf(view)
  const items = itemsOf(view, step)
  const entry = items === undefined ? {} : { item: items[index] ?? null, index }
  try {
    const rendered = renderValue(step.with, { ...scope, ...entry }, createBudget(MAX_UNITS))
    return isObject(rendered) ? rendered : {}
  } catch (error) {
    throw new DomainError('conflict', `the inputs of the step ${step.id} are not known: ${String(error)}`)
  }
}

/** The list of a `for_each`; undefined where it is not known yet, and for any other step. */
export function itemsOf(view: PipelineView, { for_each }: RunStep): Json[] | undefined {
  const items = for_each && evaluate(for_each.items, scopeOf(view), createBudget(MAX_UNITS))
  return items !== undefined && 'value' in items && Array.isArray(items.value) ? items.value : undefined
}

type Composed = PipelineConfig['inputs'][number]

/** The inputs of a step from outside its bundle. */
interface Beneath {
  schema: JsonObject
  workflow: PresetRow | undefined
  preset: PresetRow | undefined
  /** inputs of the user who advanced the step, in place of its `with` */
  advanced: JsonObject
}

/** The inputs of a step's run, of a list that of one entry, with the layers they come from; secret ones are left out. */
export async function composeInputs(
  ctx: Pick<ServiceContext, 'packs' | 'presets' | 'workspace_id'>,
  view: PipelineView,
  step: RunStep,
  { index, given }: { index: number; given: GivenInputs | undefined },
): Promise<Composed[]> {
  const { pack, template } = step.uses
  const schema = ctx.packs.findTemplate(pack, template)?.inputs_schema ?? {}
  const rows = await ctx.presets.ofStart(ctx.workspace_id, { pack, template })
  const beneath: Beneath = {
    schema,
    workflow: rows.find(({ kind }) => kind === 'workflow'),
    preset: rows.find(({ kind }) => kind === 'config'),
    advanced: objectOf(view.steps.find(({ id }) => id === step.id)?.advanced?.['inputs']),
  }
  const composed =
    given?.run_inputs === undefined || given.run_inputs === null
      ? wouldBe(beneath, step, { ...knownWith(view, step, index), ...objectOf(given?.inputs), ...beneath.advanced })
      : asGiven(beneath, step, given, given.run_inputs)
  const hidden = new Set(secretPaths(schema).map((pointer) => pointerParts(pointer)[0]))
  return composed.filter(({ name, value }) => !hidden.has(name) && !holdsSecretMark(value))
}

/** Returns the actual values of a recorded run, even if the layers have changed since. */
function asGiven(beneath: Beneath, step: RunStep, { inputs, provenance }: GivenInputs, run: JsonObject): Composed[] {
  return namesOf(beneath, run, inputs).map((name): Composed => {
    const value = run[name]
    if (value === undefined) return { name, layer: 'unset' }
    if (Object.hasOwn(inputs, name)) return { name, value, ...stepLayer(beneath, step, name) }
    return { name, value, layer: layerBeneath(beneath, name, value, objectOf(provenance)) }
  })
}

/** Returns the layer of a value that the pipeline did not set. */
function layerBeneath(
  { preset, workflow, schema }: Beneath,
  name: string,
  value: Json,
  provenance: JsonObject,
): Composed['layer'] {
  const kept = { preset: objectOf(provenance['config_preset']), workflow: objectOf(provenance['config']) }
  const stillPreset = preset?.id === kept.preset['id'] && preset?.version === kept.preset['version']
  const stillWorkflow = workflow?.version === kept.workflow['version']
  if (!stillPreset || !stillWorkflow)
    return JSON.stringify(defaultOf(schema, name)) === JSON.stringify(value) ? 'template' : 'changed'
  if (preset !== undefined && Object.hasOwn(preset.inputs, name)) return 'config_preset'
  return workflow !== undefined && Object.hasOwn(workflow.inputs, name) ? 'workflow' : 'template'
}

/** Returns the values that an unstarted run would get now, where known. */
function wouldBe(beneath: Beneath, step: RunStep, known: JsonObject): Composed[] {
  const { schema, preset, workflow } = beneath
  return namesOf(beneath, step.with, known, preset?.inputs ?? {}, workflow?.inputs ?? {}).map((name): Composed => {
    if (Object.hasOwn(known, name)) return { name, value: known[name], ...stepLayer(beneath, step, name) }
    if (Object.hasOwn(step.with, name)) return { name, written: step.with[name], layer: 'step' }
    if (preset !== undefined && Object.hasOwn(preset.inputs, name))
      return { name, value: preset.inputs[name], layer: 'config_preset' }
    if (workflow !== undefined && Object.hasOwn(workflow.inputs, name))
      return { name, value: workflow.inputs[name], layer: 'workflow' }
    const value = defaultOf(schema, name)
    return value === undefined ? { name, layer: 'unset' } : { name, value, layer: 'template' }
  })
}

function stepLayer({ advanced }: Beneath, step: RunStep, name: string): Pick<Composed, 'layer' | 'written'> {
  if (Object.hasOwn(advanced, name)) return { layer: 'advance' }
  const written = step.with[name]
  return holdsExpression(written) ? { layer: 'step', written } : { layer: 'step' }
}

/** Returns the inputs whose expressions can be evaluated now; those that depend on open steps cannot. */
function knownWith(view: PipelineView, step: RunStep, index: number): JsonObject {
  const known = Object.entries(step.with).flatMap(([name, value]) => {
    try {
      return Object.entries(renderedWith(view, { ...step, with: { [name]: value } }, index))
    } catch (error) {
      if (error instanceof DomainError) return []
      throw error
    }
  })
  return Object.fromEntries(known)
}

function namesOf({ schema }: Beneath, ...values: JsonObject[]): string[] {
  return [...new Set([...Object.keys(objectOf(schema['properties'])), ...values.flatMap((each) => Object.keys(each))])]
}

function defaultOf(schema: JsonObject, name: string): Json | undefined {
  const property = objectOf(schema['properties'])[name]
  return isObject(property) ? property['default'] : undefined
}

function holdsExpression(value: Json | undefined): boolean {
  return JSON.stringify(value ?? null).includes('${{')
}
