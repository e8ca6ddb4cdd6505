import { DomainError } from '#core/errors.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { type Operator, OperatorError } from '#core/operator.ts'
import { stepsInCondition, stepsInPaths, stepsInValue } from '#core/plan/unknown-outputs.ts'
import { MAX_INPUT_BYTES } from '#core/remote-job/contract.ts'
import { withoutOutputs } from '#core/run/dry-run-report.ts'
import type { RunFailure } from '#core/run/run-transitions.ts'
import type { Redactor } from '#core/secret/redactor.ts'
import type { StepDeps } from '../deps.ts'
import { expressionScope, predictedSteps, type RunSession } from '../run/run-session.ts'
import { resolveModels } from './resolve-models.ts'
import { resolveConnection, resolveQueue } from './resolved.ts'
import type { Operation, StepWork } from './work.ts'

/** It comes to no operation. */
export type Unprepared =
  | { kind: 'skipped' }
  /** of a dry run: it needs outputs of steps that were not executed */
  | { kind: 'unknown'; depends_on: string[] }
  | { kind: 'invalid'; error: RunFailure }

/** Evaluates `when`, renders the input, lets the operator parse it and reads what it is resolved through. Nothing is sent. */
export async function prepareStep({
  deps,
  session,
  step,
}: StepWork): Promise<{ kind: 'ready'; operation: Operation } | Unprepared> {
  const operator = deps.operators.get(step.operator)
  if (operator === undefined || operator.version !== step.operator_version) {
    const message = `operator ${step.operator} version ${step.operator_version} is not available on this worker`
    return { kind: 'invalid', error: { code: 'operator_unavailable', message, retryable: false } }
  }
  try {
    const scope = expressionScope(session)
    const missing = session.head.dry_run ? withoutOutputs(predictedSteps(session)) : []
    const condition = step.when === undefined ? [] : stepsInCondition(step.when, missing)
    if (condition.length > 0) return { kind: 'unknown', depends_on: [...new Set(condition)] }
    if (step.when !== undefined && compileExpression(step.when).evaluate(scope) !== true) return { kind: 'skipped' }
    const needed = stepsNeeded(operator, step.with, missing)
    if (needed.length > 0) return { kind: 'unknown', depends_on: [...new Set(needed)] }
    const rendered = renderValue(step.with, scope) as JsonObject
    await operator.ready?.()
    const input = operator.parse(operator.wants_scope ? { ...rendered, scope } : rendered)
    const operation = await resolveOperation(deps, session, operator, input)
    return { kind: 'ready', operation: { ...operation, idempotency_key: `${session.head.id}:${step.id}` } }
  } catch (error) {
    if (error instanceof OperatorError) {
      const { code, message, details } = error
      return {
        kind: 'invalid',
        error: { code, message, retryable: false, ...(details === undefined ? {} : { details }) },
      }
    }
    if (!(error instanceof DomainError)) throw error
    const details =
      error.details.errors === undefined
        ? {}
        : { details: { errors: error.details.errors.map(({ pointer, msg }) => ({ pointer, msg })) } }
    return {
      kind: 'invalid',
      error: { code: error.code, message: `step ${step.id}: ${error.message}`, retryable: false, ...details },
    }
  }
}

/** Reads all that the operation is resolved through, once. Throws what `resolveConnection` throws, and OperatorError of `through`. */
async function resolveOperation(
  deps: StepDeps,
  session: RunSession,
  operator: Operator,
  input: JsonObject,
): Promise<Omit<Operation, 'idempotency_key'>> {
  const { name, egress } = session.environment
  const resolve = async (id: string | undefined, tool?: string) =>
    id === undefined ? undefined : await resolveConnection(deps, session, id, tool)
  const queue = resolveQueue(session.environment, operator.queue?.(input))
  if (queue !== undefined) refuseSecrets(input, session.redactor)
  if (queue?.attest !== undefined) refuseLong(operator.remoteActivity?.(input).input)
  const connection = await resolve(operator.connection?.(input), operator.tool?.(input))
  const done = connection === undefined ? input : (operator.applyConnection?.(input, connection) ?? input)
  const resolved = {
    environment: { name, egress },
    connection,
    second_connection: await resolve(operator.secondConnection?.(input)),
    queue,
    tool: connection?.tool,
    models: resolveModels(deps, session.head.profile, { operator, input: done }),
    deployment: await operator.deployment?.(done, session.environment),
  }
  return { operator, input: done, resolved }
}

/** A worker that signs gets its input as text, which is longer than what it says. */
function refuseLong(given: Json | undefined): void {
  const bytes = Buffer.byteLength(JSON.stringify(canonicalText(given ?? null)))
  if (bytes > MAX_INPUT_BYTES)
    throw new DomainError(
      'validation_failed',
      `its input has ${bytes} bytes as text, and a worker that signs gets at most ${MAX_INPUT_BYTES}`,
    )
}

/** The engine keeps the input of an activity as it is, for everybody who reaches it. */
function refuseSecrets(input: JsonObject, redactor: Redactor): void {
  if (canonicalText(redactor.data(input)) === canonicalText(input)) return
  throw new DomainError(
    'validation_failed',
    'a secret input would be handed to an external worker, through Temporal, which keeps it in the clear: let that worker read it from where it is kept',
  )
}

/** Which of these steps the input refers to. Who gets the whole scope and does not say what it reads refers to all of them. */
function stepsNeeded(operator: Operator, input: JsonObject, among: string[]): string[] {
  if (!operator.wants_scope) return stepsInValue(input, among)
  if (operator.reads_of_scope === undefined) return among
  return [...stepsInValue(input, among), ...stepsInPaths(operator.reads_of_scope(input), among)]
}
