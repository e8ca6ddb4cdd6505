import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Cost, MicroUsd } from '#core/money.ts'
import { type OperatorContext, OperatorError, type OperatorResult } from '#core/operator.ts'
import { logEvents } from '#core/run/step-records.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import type { OpenedConnection } from '#services/connections/open-connection.ts'
import { credentialTexts } from '../operators/http/target.ts'
import { commit } from '../run/commit.ts'
import type { NotSent } from './ask-again.ts'
import { redactedLog, redactFailure, redactResult } from './redact-result.ts'
import { keepLog } from './step-log.ts'
import { type StepCalls, stepModels } from './step-models.ts'
import type { JudgedWork } from './work.ts'

export type OperatorEnd = AttemptEnd & {
  log: JsonObject[]
  /** what calls of models cost the attempt; undefined where none was made */
  calls: { held: MicroUsd; reported: boolean } | undefined
}

type AttemptEnd =
  | { kind: 'done'; result: OperatorResult }
  | { kind: 'failed'; error: OperatorError }
  | { kind: 'not_sent'; why: NotSent }
  | { kind: 'aborted'; reason: unknown; cost: Partial<Cost> | undefined }

/** Runs one attempt of an operator under its timeout and the execution's cancellation, and keeps what it logs. Never throws. */
export async function runOperator(
  work: JudgedWork,
  attempt: number,
  askAgain: () => Promise<NotSent | undefined>,
): Promise<OperatorEnd> {
  const { deps, session, step, judged } = work
  const { operator, input } = judged
  const connections = connectionsOf(judged)
  // a target that echoes what it was sent gives nothing away
  const redactors = [createRedactor(connections.map((each) => [each.id, credentialTexts(each)])), session.redactor]
  const kept = keepLog({
    log: deps.log,
    monotonic: deps.monotonic,
    async write(lines, from) {
      // what has not begun may be taken back, and its number be given to another attempt
      if (!asked || why !== undefined) return false
      return !('refused' in (await commit(deps, session, { events: logEvents(step.id, attempt, lines, from) })))
    },
  })
  const log = redactors.reduce(redactedLog, kept.log)
  const ending = new AbortController()
  const cancel = () => ending.abort(session.signal.reason)
  let timedOut = false
  let why: NotSent | undefined
  let asked = false
  const beforeSending = async () => {
    // what came after the first time may have been sent
    if (asked) return
    asked = true
    why = await askAgain()
    if (why !== undefined) throw new DomainError('conflict', 'this attempt may not act now')
  }
  const { ctx, calls } = operatorContext(work, { attempt, signal: ending.signal, beforeSending, log })
  const ended = (error: unknown): AttemptEnd => {
    why ??= calls.refusal()
    if (why !== undefined) return { kind: 'not_sent', why }
    const cost = error instanceof OperatorError ? error.cost : undefined
    if (session.signal.aborted) return { kind: 'aborted', reason: session.signal.reason, cost }
    if (!timedOut) return { kind: 'failed', error: redactors.reduce(redactFailure, asOperatorError(error)) }
    const unknown_outcome = operator.replay(input) === 'ask'
    const facts = { retryable: !unknown_outcome, unknown_outcome, cost, cause: error }
    return { kind: 'failed', error: new OperatorError('timeout', `did not finish within ${step.timeout_ms} ms`, facts) }
  }
  const timer = setTimeout(() => {
    timedOut = true
    ending.abort()
  }, step.timeout_ms)
  session.signal.addEventListener('abort', cancel, { once: true })
  let end: AttemptEnd
  try {
    if (session.signal.aborted) cancel()
    end = { kind: 'done', result: redactors.reduce(redactResult, await operator.execute(ctx, input)) }
  } catch (error) {
    end = ended(error)
  } finally {
    clearTimeout(timer)
    session.signal.removeEventListener('abort', cancel)
    await kept.end()
  }
  const held = calls.held()
  return { ...end, log: kept.lines(), calls: held === 0 ? undefined : { held, reported: calls.reported() } }
}

/** What an operator is given for an attempt, and what its calls of models leave the step with. */
export function operatorContext(
  work: JudgedWork,
  call: Pick<OperatorContext, 'attempt' | 'signal' | 'beforeSending' | 'log'>,
): { ctx: OperatorContext; calls: StepCalls } {
  const { deps, session, step, judged } = work
  const { environment, deployment } = judged.resolved
  const calls = stepModels(work, call)
  const connections = connectionsOf(judged)
  const reached = new Map<string, ReturnType<NonNullable<OpenedConnection['use']>> | undefined>()
  const ctx: OperatorContext = {
    run_id: session.head.id,
    step_id: step.id,
    workspace_id: session.head.workspace_id,
    environment,
    idempotency_key: judged.idempotency_key,
    ...call,
    ...(calls.port && { models: calls.port }),
    ...(deployment !== undefined && { deployment }),
    now: () => Math.round(deps.monotonic()),
    async connection(id) {
      const connection = connections.find((each) => each.id === id)
      if (connection === undefined) throw new DomainError('not_found', `step ${step.id} names no connection ${id}`)
      const { kind, url, use, tool } = connection
      if (!reached.has(id))
        reached.set(id, use?.({ run: session.head, step_id: step.id, egress: environment.egress, signal: call.signal }))
      return { kind, url, ...(tool !== undefined && { tool }), ...(await reached.get(id)) }
    },
  }
  return { ctx, calls }
}

function connectionsOf({ resolved: { connection, second_connection } }: JudgedWork['judged']) {
  return [connection, second_connection].filter((each) => each !== undefined)
}

function asOperatorError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new OperatorError('operator_bug', message, { cause: error })
}
