import { DomainError } from '#core/errors.ts'
import { MODEL_CAPABILITY } from '#core/models/call-subject.ts'
import type { MicroUsd } from '#core/money.ts'
import { type ForeseenCall, type ModelAsk, OperatorError, type OperatorModels } from '#core/operator.ts'
import { callModelInStep } from '#services/models/call-model.ts'
import { foreseeCall } from '#services/models/foresee-call.ts'
import type { CallContext, ModelPorts } from '#services/models/model-ports.ts'
import type { StepCall } from '#services/models/step-call.ts'
import type { ModelRefusal } from '#store/model-calls.ts'
import type { Unsent } from './ask-again.ts'
import type { JudgedWork } from './step-work.ts'

/** What the calls of an attempt leave its step with. */
export interface StepCalls {
  port: OperatorModels | undefined
  /** what they cost: it stays reserved with the step until that is charged */
  held(): MicroUsd
  /** somebody can say of each of them what it cost */
  reported(): boolean
  /** why one of them may not begin, and no other step either */
  refusal(): Unsent | undefined
}

/** The models of one attempt of a step; `attempt` is 0 while it is simulated, and then nothing is asked. */
export function stepModels(work: JudgedWork, { attempt, signal }: { attempt: number; signal: AbortSignal }): StepCalls {
  let held = 0
  let reported = true
  let refusal: Unsent | undefined
  const listener: Pick<StepCall['step'], 'charged' | 'refused'> = {
    charged({ micro_usd, basis }) {
      held += micro_usd
      if (basis === undefined || basis === 'estimate') reported = false
    },
    refused(why) {
      refusal = unsentBy(why)
    },
  }
  const ports = work.deps.models
  const isFor = work.judged.operator.capabilities.includes(MODEL_CAPABILITY)
  return {
    port: isFor
      ? {
          foresee: (ask) => foreseeAsk(work, ask),
          spent: () => held,
          async ask(ask) {
            if (attempt === 0) throw new OperatorError('operator_bug', 'a simulation asks no model')
            if (ports === undefined) throw unbound()
            try {
              const reply = await callModelInStep(contextOf(work, ports), {
                ...ask,
                run_id: work.walk.head.id,
                signal,
                step: { ...stepOf(work, attempt), ...listener },
              })
              return { model: reply.model, answer: reply.answer }
            } catch (error) {
              throw asOperatorError(error)
            }
          },
        }
      : undefined,
    held: () => held,
    reported: () => reported,
    refusal: () => refusal,
  }
}

/** What a step would ask, and what one call may cost. Throws OperatorError `not_configured`. */
export function foreseeAsk({ deps, walk }: JudgedWork, ask: ModelAsk): ForeseenCall {
  if (deps.models === undefined) throw unbound()
  try {
    return foreseeCall(
      { models: deps.models.models, sha256: deps.sha256 },
      ask,
      deps.environments.profile(walk.head.profile),
    )
  } catch (error) {
    throw asOperatorError(error)
  }
}

function contextOf({ deps, walk }: JudgedWork, ports: ModelPorts): CallContext {
  return {
    ...ports,
    actor: { type: 'system', id: 'svc', auth: 'none' },
    channel: 'system',
    workspace_id: walk.head.workspace_id,
    clock: deps.clock,
    ids: deps.ids,
    sha256: deps.sha256,
    workspaces: deps.workspaces,
    open: !walk.ask_standing,
  }
}

function stepOf({ deps, walk, step, judged }: JudgedWork, attempt: number) {
  const { matched, snapshot_hash } = judged.verdict
  return {
    ...{ step_id: step.id, attempt, plan_hash: judged.plan_hash, fence: walk.fence },
    environment: walk.environment,
    profile: deps.environments.profile(walk.head.profile),
    verdict: { matched: matched.map(({ name }) => name), snapshot_hash },
    redact: (text: string) => walk.redactor.text(text),
  }
}

/** A run that has ended, or is about to, is not this attempt's any more. What does not fit under a cap ends the step. */
function unsentBy(refusal: ModelRefusal): Unsent | undefined {
  if (refusal.refused === 'budget') return undefined
  if (refusal.refused === 'halted' || refusal.refused === 'standing_lost') return refusal
  return { refused: 'fenced' }
}

const OF_STEPS = new Set(['BudgetExceeded', 'not_configured', 'validation_failed', 'dependency_unavailable'])

function asOperatorError(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error
  const { code, message, details } = error
  // a template that names a model which is not there: whoever runs the deployment can bind it
  if (code === 'not_found') return new OperatorError('not_configured', modelMissing(message), { cause: error })
  if (!OF_STEPS.has(code)) return error
  const { last_failure } = details
  return new OperatorError(code, message, {
    retryable: code === 'dependency_unavailable',
    ...(typeof last_failure === 'string' && { details: { last_failure } }),
    cause: error,
  })
}

function modelMissing(message: string): string {
  return `${message.replace('; GET /v1/models names them.', ':')} add it to models.yaml, under models or roles, as docs/models.md shows.`
}

function unbound(): OperatorError {
  return new OperatorError('not_configured', 'No model can be asked here: no models are bound.')
}
