import type { ChatPrompt } from '#core/models/chat.ts'
import type { MicroUsd } from '#core/money.ts'
import { OperatorError, type OperatorModels, type PredictedCall } from '#core/operator.ts'
import { callModelInStep } from '#services/models/call-model.ts'
import type { StepCall } from '#services/models/model-call.ts'
import type { CallContext, ModelPorts } from '#services/models/model-ports.ts'
import { predictCall } from '#services/models/prepare-call.ts'
import type { ModelRefusal } from '#store/models/model-calls.ts'
import type { StepDeps } from '../deps.ts'
import type { RunSession } from '../run/run-session.ts'
import type { NotSent } from './ask-again.ts'
import { asModelError, type ResolvedModels } from './resolve-models.ts'
import type { JudgedWork } from './work.ts'

/** What the calls of an attempt leave its step with. */
export interface StepCalls {
  port: OperatorModels | undefined
  /** what they cost: it stays reserved with the step until that is charged */
  held(): MicroUsd
  /** somebody can say of each of them what it cost */
  reported(): boolean
  /** why one of them may not begin, and no other step either */
  refusal(): NotSent | undefined
}

/** The models of one attempt of a step; `attempt` is 0 while it is simulated, and then nothing is asked. */
export function stepModels(
  { deps, session, step, judged }: JudgedWork,
  { attempt, signal }: { attempt: number; signal: AbortSignal },
): StepCalls {
  const { models } = judged.resolved
  const { matched, snapshot_hash } = judged.verdict
  let held = 0
  let reported = true
  let refusal: NotSent | undefined
  const listener: Pick<StepCall['step'], 'charged' | 'refused'> = {
    charged({ micro_usd, basis }) {
      held += micro_usd
      if (basis === undefined || basis === 'estimate') reported = false
    },
    refused(why) {
      refusal = notSentBy(why)
    },
  }
  return {
    port: models && {
      predict: (prompt) => predictAsk(deps, models, prompt),
      spent: () => held,
      async ask(prompt) {
        if (attempt === 0) throw new OperatorError('operator_bug', 'a simulation asks no model')
        const { ports, found } = bound(deps, models)
        try {
          const reply = await callModelInStep(contextOf(deps, session, ports), {
            model: models.name,
            prompt,
            run_id: session.head.id,
            signal,
            step: {
              step_id: step.id,
              attempt,
              plan_hash: judged.plan_hash,
              fence: session.fence,
              environment: session.environment,
              profile: found.profile,
              found: found.models,
              verdict: { matched: matched.map(({ name }) => name), snapshot_hash },
              redact: (text) => session.redactor.text(text),
              ...listener,
            },
          })
          return { model: reply.model, answer: reply.answer }
        } catch (error) {
          throw asModelError(error)
        }
      },
    },
    held: () => held,
    reported: () => reported,
    refusal: () => refusal,
  }
}

/** What a step would ask, and what one call may cost. Throws OperatorError `not_configured`, `validation_failed`. */
export async function predictAsk(
  deps: StepDeps,
  models: ResolvedModels | undefined,
  prompt: ChatPrompt,
): Promise<PredictedCall> {
  const { ports, found } = bound(deps, models)
  try {
    return await predictCall({ upstream: ports.upstream, sha256: deps.sha256 }, found.models, prompt)
  } catch (error) {
    throw asModelError(error)
  }
}

/** The models that were found when the step was judged. Throws OperatorError where there were none. */
function bound({ models: ports }: StepDeps, { found }: Partial<ResolvedModels> = {}) {
  if (found !== undefined && 'problem' in found) throw found.problem
  if (ports === undefined || found === undefined)
    throw new OperatorError('not_configured', 'No model can be asked here: no models are bound.')
  return { ports, found }
}

function contextOf(deps: StepDeps, session: RunSession, ports: ModelPorts): CallContext {
  return {
    ...ports,
    actor: { type: 'system', id: 'svc', auth: 'none' },
    channel: 'system',
    workspace_id: session.head.workspace_id,
    clock: deps.clock,
    ids: deps.ids,
    sha256: deps.sha256,
    workspaces: deps.workspaces,
    // for a compensation nobody's standing is asked, as while authentication is off
    open: !session.ask_standing,
  }
}

/** A run that has ended, or is about to, is not this attempt's any more. What does not fit under a cap ends the step. */
function notSentBy(refusal: ModelRefusal): NotSent | undefined {
  if (refusal.refused === 'budget') return undefined
  if (refusal.refused === 'halted' || refusal.refused === 'standing_lost') return refusal
  return { refused: 'fenced' }
}
