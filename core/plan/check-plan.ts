import { DomainError } from '../errors.ts'
import { canonicalText } from '../json/canonical.ts'
import type { JsonObject } from '../json/json.ts'
import { capabilitiesOf, type Operator, type OperatorCatalog } from '../operator.ts'
import { whySecretsUndetermined } from '../secret/secret-paths.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { checkInput } from './check-input.ts'
import { type NamesInScope, templateVariables } from './check-references.ts'
import { checkCondition, checkValue } from './check-value.ts'
import { defaultFaults } from './default-faults.ts'
import type { Fault } from './fault.ts'
import type { StepSpec, TemplateSpec } from './template-schema.ts'
import type { Plan, PlanStep } from './types.ts'
import { inputsValidator } from './validate-inputs.ts'
import { typeFaults } from './value-type.ts'

/** The pack that a template belongs to. */
export interface PackFacts {
  name: string
  version: string
  digest: string
}

/** Lower-case hex of the sha256 of a text. */
export type Hash = (text: string) => string

export type CheckedPlan = { plan: Plan; faults: [] } | { plan?: undefined; faults: Fault[] }

/** Compiles a template, or reports all of its faults. Only values are left to check later. */
export function checkPlan(
  template: TemplateSpec,
  pack: PackFacts,
  catalog: Pick<OperatorCatalog, 'get' | 'list'>,
  hash: Hash,
): CheckedPlan {
  const faults = checkInputsSchema(template.inputs)
  const ids = template.steps.map((step) => step.id)
  const variables = templateVariables(faults.length > 0 ? undefined : template.inputs)
  const steps: PlanStep[] = []
  template.steps.forEach((step, index) => {
    const path = ['steps', index]
    if (ids.indexOf(step.id) < index)
      faults.push({ path: [...path, 'id'], message: `step id ${step.id} is used twice` })
    const names = { variables, settled: new Set(ids.slice(0, index)), later: new Set(ids.slice(index)) }
    faults.push(...checkStep(step, path, names))
    const operator = catalog.get(step.operator)
    if (operator === undefined)
      faults.push({
        path: [...path, 'operator'],
        message: `unknown operator ${step.operator}${didYouMean(
          step.operator,
          catalog.list().map(({ id }) => id),
        )}`,
      })
    else {
      faults.push(
        ...checkInput(step.with, operator, [...path, 'with']),
        ...typeFaults(
          step.with,
          { schema: operator.input_schema, known: { inputs: template.inputs }, path: [...path, 'with'] },
          (name, wanted, type) => `${name} of ${operator.id} has the type ${wanted}, but this has the type ${type}`,
        ),
      )
      steps.push(planStep(step, operator))
    }
  })
  faults.push(...checkValue(template.outputs, ['outputs'], { variables, settled: new Set(ids) }))
  if (faults.length > 0) return { faults }
  const plan = {
    v: 1 as const,
    pack: pack.name,
    template: template.id,
    pack_version: pack.version,
    pack_digest: pack.digest,
    title: template.title,
    risk: template.risk,
    action_types: [...new Set(template.action_types)],
    capabilities: [...new Set(steps.flatMap((step) => step.capabilities))].sort(),
    steps,
    outputs: template.outputs,
  }
  return { plan: { ...plan, digest: `sha256:${hash(canonicalText(plan))}` }, faults: [] }
}

function checkStep(step: StepSpec, path: (string | number)[], names: NamesInScope): Fault[] {
  const condition = step.when === undefined ? [] : checkCondition(step.when, [...path, 'when'], names)
  return [...condition, ...checkValue(step.with, [...path, 'with'], names)]
}

function planStep(step: StepSpec, operator: Operator): PlanStep {
  return {
    id: step.id,
    name: step.name ?? step.id,
    operator: operator.id,
    operator_version: operator.version,
    with: step.with,
    ...(step.when !== undefined && { when: step.when }),
    requires_approval: step.requires_approval,
    ...(step.action_type === undefined
      ? { action_type: likelyType(step, operator) }
      : { action_type: step.action_type, operator_type: likelyType(step, operator) }),
    risk: operator.risk,
    capabilities: capabilitiesOf(operator, step.with),
    timeout_ms: step.timeout,
    retry: {
      max_attempts: step.retry.max_attempts,
      initial_ms: step.retry.initial,
      backoff: step.retry.backoff,
      max_ms: step.retry.max,
    },
  }
}

/**
 * Returns the likely action type of the unrendered input: an expression is no method and no statement, so a type that depends on one counts
 * as an effect.
 */
function likelyType(step: StepSpec, operator: Operator): string {
  try {
    return operator.actionType?.(step.with) ?? operator.action_type
  } catch {
    return operator.action_type
  }
}

function checkInputsSchema(schema: JsonObject): Fault[] {
  try {
    inputsValidator(schema)
    const message = whySecretsUndetermined(schema)
    return [...(message === undefined ? [] : [{ path: ['inputs'], message }]), ...defaultFaults(schema, ['inputs'])]
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return [{ path: ['inputs'], message: error.message }]
  }
}
