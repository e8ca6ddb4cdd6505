import { DomainError } from '../errors.ts'
import { type JsonObject, pointerParts } from '../json/json.ts'
import { Slug } from '../names/name-schema.ts'
import { checkValue } from '../plan/check-value.ts'
import { defaultFaults } from '../plan/default-faults.ts'
import type { Fault } from '../plan/fault.ts'
import { inputsValidator } from '../plan/validate-inputs.ts'
import { secretPaths, whySecretsUndetermined } from '../secret/secret-paths.ts'
import type { PipelineSpec, StepSpec } from './bundle-file-schema.ts'
import { checkNeeds } from './check-needs.ts'
import { checkStep } from './check-step.ts'
import { compilePipeline } from './compile-pipeline.ts'
import { deadSteps } from './dead-steps.ts'
import { endedBefore, orderSteps } from './order-steps.ts'
import type { PipelineFacts } from './pipeline-facts.ts'
import { namesOfSteps } from './step-names.ts'
import type { PipelineDefinition } from './types.ts'

/** `definition` is absent where one of the faults is more than a warning. */
export interface CheckedPipeline {
  definition?: PipelineDefinition
  faults: Fault[]
}

/** Compiles one pipeline of a bundle, or reports all of its faults. Only values are left to check later. */
export function checkPipeline(name: string, spec: PipelineSpec, facts: PipelineFacts): CheckedPipeline {
  const at = ['pipelines', name]
  const inputs = checkInputsSchema(spec.inputs, [...at, 'inputs'])
  const places = new Map(spec.steps.map((step, index): [StepSpec, Fault['path']] => [step, [...at, 'steps', index]]))
  const placeOf = (step: StepSpec) => places.get(step) ?? at
  const distinct = spec.steps.filter(({ id }, index) => spec.steps.findIndex((each) => each.id === id) === index)
  const { order, cycles } = orderSteps(distinct)
  const names = namesOfSteps(spec, inputs.some(isError) ? undefined : spec.inputs, facts.templates)
  const before = endedBefore(distinct)
  const faults = [
    ...checkName(name, at),
    ...inputs,
    ...checkNeeds(spec.steps, cycles, placeOf),
    ...spec.steps.flatMap((step) =>
      checkStep(step, {
        path: placeOf(step),
        names: names.of(before.get(step.id) ?? new Set()),
        inputs: spec.inputs,
        ...facts,
      }),
    ),
    ...deadSteps(order, placeOf),
    ...uselessFailure(spec, placeOf),
    ...checkValue(spec.outputs, [...at, 'outputs'], names.of(new Set(distinct.map(({ id }) => id)))),
  ]
  if (faults.some(isError)) return { faults }
  return { definition: compilePipeline(name, spec, order, facts), faults }
}

function isError({ warning }: Fault): boolean {
  return warning !== true
}

function checkName(name: string, path: Fault['path']): Fault[] {
  const parsed = Slug.safeParse(name)
  return parsed.success ? [] : [{ path, message: `a pipeline has ${parsed.error.issues[0]?.message}`, key: true }]
}

function checkInputsSchema(schema: JsonObject, path: Fault['path']): Fault[] {
  try {
    inputsValidator(schema)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return [{ path, message: error.message }]
  }
  const undetermined = whySecretsUndetermined(schema)
  if (undetermined !== undefined) return [{ path, message: undetermined }]
  const secrets = secretPaths(schema).map((pointer) => {
    const parts = pointerParts(pointer)
    const message = `the input ${parts.join('.')} is declared secret, but a pipeline stores its inputs: remove it, and let the templates use a connection`
    return { path: [...path, ...parts.flatMap((part) => ['properties', part])], message, key: true }
  })
  return [...secrets, ...defaultFaults(schema, path)]
}

/** `compensate` with nothing that could be taken back is `fail`, and was surely not meant as that. */
function uselessFailure({ steps }: PipelineSpec, placeOf: (step: StepSpec) => Fault['path']): Fault[] {
  if (steps.some(({ compensate }) => compensate !== undefined)) return []
  return steps
    .filter(({ on_failure }) => on_failure === 'compensate')
    .map((step) => ({
      path: [...placeOf(step), 'on_failure'],
      message: 'no step of this pipeline has a compensate, so there is nothing to undo and this is the same as fail',
      warning: true,
    }))
}
