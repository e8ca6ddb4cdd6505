import type { Profile } from '#core/environment/environment.ts'
import { DomainError, isTransient } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { MODEL_CAPABILITY } from '#core/models/model.ts'
import { type Operator, OperatorError } from '#core/operator.ts'
import { type FoundModels, findModels, NAMED_BY_API } from '#services/models/find-models.ts'
import type { StepDeps } from '../deps.ts'

/** The models of one step, found once: these are shown, hashed and asked, and no others. */
export interface ResolvedModels {
  /** as the step says it: a role, or the id of a model */
  name: string
  /** with the profile that says what the roles are, and what goes on record */
  found: { models: FoundModels; profile: Profile } | { problem: OperatorError }
}

/** Undefined where the operator asks no model. That none can be asked is for the operator to say. */
export function resolveModels(
  deps: Pick<StepDeps, 'models' | 'environments'>,
  profileName: string,
  { operator, input }: { operator: Operator; input: JsonObject },
): ResolvedModels | undefined {
  if (!operator.capabilities.includes(MODEL_CAPABILITY) || operator.asks === undefined) return undefined
  const { model: name } = operator.asks(input)
  try {
    if (deps.models === undefined)
      throw new OperatorError('not_configured', 'No model can be asked here: no models are bound.')
    const profile = deps.environments.profile(profileName)
    return { name, found: { models: findModels(deps.models, name, profile), profile } }
  } catch (error) {
    const problem = asModelError(error)
    if (problem instanceof OperatorError) return { name, found: { problem } }
    if (problem instanceof DomainError)
      return { name, found: { problem: new OperatorError('not_configured', problem.message, { cause: problem }) } }
    throw problem
  }
}

const OF_STEPS = new Set([
  'BudgetExceeded',
  'not_configured',
  'validation_failed',
  'rate_limited',
  'dependency_unavailable',
])

/** What keeps a call from being made, as an operator is told. */
export function asModelError(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error
  const { code, message, details } = error
  // a template that names a model which is not there: an operator of the deployment can bind it
  if (code === 'not_found') return new OperatorError('not_configured', modelMissing(message), { cause: error })
  if (!OF_STEPS.has(code)) return error
  const { last_failure, retry_after_s } = details
  return new OperatorError(code, message, {
    retryable: isTransient(code),
    ...(retry_after_s !== undefined && { retry_after_ms: retry_after_s * 1_000 }),
    ...(typeof last_failure === 'string' && { details: { last_failure } }),
    cause: error,
  })
}

function modelMissing(message: string): string {
  return `${message.replace(NAMED_BY_API, ':')} add it to models.yaml, under models or roles, as docs/models.md shows.`
}
