import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Cost, MicroUsd } from '#core/money.ts'
import {
  type OperatorContext,
  OperatorError,
  type OperatorModels,
  type OperatorResult,
  type StepLog,
} from '#core/operator.ts'
import { createRedactor, type Redactor } from '#core/secret/redactor.ts'
import { credentialTexts } from '../operators/http-target.ts'
import type { Unsent } from './ask-again.ts'
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
  | { kind: 'unsent'; why: Unsent }
  | { kind: 'aborted'; reason: unknown; cost: Partial<Cost> | undefined }

interface Call {
  attempt: number
  askAgain: () => Promise<Unsent | undefined>
  log: StepLog
  redactors: Redactor[]
  calls: StepCalls
  ending: AbortController
}

/** Runs one attempt of an operator under its timeout and the execution's cancellation, and keeps what it logs. Never throws. */
export async function runOperator(
  work: JudgedWork,
  attempt: number,
  askAgain: () => Promise<Unsent | undefined>,
): Promise<OperatorEnd> {
  const { deps, session, judged } = work
  const { connection } = judged.resolved
  // a target that echoes what it was sent gives nothing away
  const redactors = [createRedactor([[connection?.id ?? '', credentialTexts(connection)]]), session.redactor]
  const kept = keepLog(deps.log)
  const log = redactors.reduce(redactedLog, kept.log)
  const ending = new AbortController()
  const calls = stepModels(work, { attempt, signal: ending.signal })
  const end = await attemptOperator(work, { attempt, askAgain, log, redactors, calls, ending })
  const held = calls.held()
  return { ...end, log: kept.lines(), calls: held === 0 ? undefined : { held, reported: calls.reported() } }
}

async function attemptOperator(work: JudgedWork, call: Call): Promise<AttemptEnd> {
  const { attempt, askAgain, log, redactors, calls, ending } = call
  const { session, step } = work
  const { operator, input } = work.judged
  const cancel = () => ending.abort(session.signal.reason)
  let timedOut = false
  let why: Unsent | undefined
  let asked = false
  const beforeSending = async () => {
    // what came after the first time may have been sent
    if (asked) return
    asked = true
    why = await askAgain()
    if (why !== undefined) throw new DomainError('conflict', 'another attempt took over this run')
  }
  const timer = setTimeout(() => {
    timedOut = true
    ending.abort()
  }, step.timeout_ms)
  session.signal.addEventListener('abort', cancel, { once: true })
  try {
    if (session.signal.aborted) cancel()
    const ctx = operatorContext(work, { attempt, signal: ending.signal, beforeSending, log, models: calls.port })
    const result = await operator.execute(ctx, input)
    return { kind: 'done', result: redactors.reduce(redactResult, result) }
  } catch (error) {
    why ??= calls.refusal()
    if (why !== undefined) return { kind: 'unsent', why }
    const cost = error instanceof OperatorError ? error.cost : undefined
    if (session.signal.aborted) return { kind: 'aborted', reason: session.signal.reason, cost }
    if (timedOut) {
      const unknown_outcome = operator.replay(input) === 'ask'
      return {
        kind: 'failed',
        error: new OperatorError('timeout', `did not finish within ${step.timeout_ms} ms`, {
          retryable: !unknown_outcome,
          unknown_outcome,
          cost,
          cause: error,
        }),
      }
    }
    return { kind: 'failed', error: redactors.reduce(redactFailure, asOperatorError(error)) }
  } finally {
    clearTimeout(timer)
    session.signal.removeEventListener('abort', cancel)
  }
}

export function operatorContext(
  { deps, session, step, judged }: JudgedWork,
  {
    models,
    ...call
  }: Pick<OperatorContext, 'attempt' | 'signal' | 'beforeSending' | 'log'> & { models: OperatorModels | undefined },
): OperatorContext {
  const { head } = session
  const { environment, connection } = judged.resolved
  return {
    run_id: head.id,
    step_id: step.id,
    workspace_id: head.workspace_id,
    environment,
    idempotency_key: idempotencyKey(head, step),
    ...call,
    ...(models === undefined ? {} : { models }),
    now: () => Math.round(deps.monotonic()),
    async connection(id) {
      if (connection?.id === id) return { kind: connection.kind, url: connection.url }
      throw new DomainError('not_found', `step ${step.id} names no connection ${id}`)
    },
  }
}

/** The same for every attempt, and for every gate of a step. */
export function idempotencyKey(head: { id: string }, step: { id: string }): string {
  return `${head.id}:${step.id}`
}

function asOperatorError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new OperatorError('operator_bug', message, { cause: error })
}
