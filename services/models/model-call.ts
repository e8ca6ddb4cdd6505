import type { Environment, Profile } from '#core/environment/environment.ts'
import type { ChatPrompt } from '#core/models/chat.ts'
import type { LimitField } from '#core/models/model.ts'
import type { MicroUsd } from '#core/money.ts'
import type { ModelRefusal, ModelSettlement } from '#store/models/model-calls.ts'
import type { FoundModels } from './find-models.ts'
import type { CallVerdict } from './judge-call.ts'

export interface AskBudget {
  thread_id: string
  turn_id: string
  /** the owner of a new thread */
  opens?: { account_id: string; owner_id: string } | undefined
  /** the people behind the question; the cap of the day is theirs */
  people: string[]
  turn_cap_micro_usd: MicroUsd
  day_cap_micro_usd: MicroUsd
}

export interface ModelCall {
  /** a role, or the id of a model */
  model: string
  prompt: ChatPrompt
  /** texts to embed, instead of an answer: the prompt has them as its messages */
  texts?: string[] | undefined
  /** a run that the call is for, and that pays for it */
  run_id?: string | undefined
  /** the turn of the ask agent that the call is for, with its cap and the daily cap of the people behind it */
  ask?: AskBudget | undefined
  /** aborted when the caller disconnects */
  signal: AbortSignal
  /** name of the parameter that limits the answer, over models.yaml */
  limit_field?: LimitField | undefined
  /** nothing is repeated, and nothing takes its place */
  once?: boolean | undefined
}

/** A call that a step makes. It was judged as that step, before the step was opened, and is not judged again. */
export interface StepCall extends ModelCall {
  run_id: string
  step: {
    step_id: string
    attempt: number
    plan_hash: string
    /** the attempt's fence on the run */
    fence: number
    environment: Environment
    profile: Profile
    /** the models that may answer, as the plan hash of the step covers them: no other is called */
    found: FoundModels
    verdict: CallVerdict
    /** removes the secrets of the run from records */
    redact(text: string): string
    /** called when a request to a provider is settled; without a basis it could not be recorded, and all of it is charged */
    charged(charge: { micro_usd: MicroUsd; basis?: ModelSettlement['basis'] }): void
    /** called with the reason why a request may not begin */
    refused(refusal: ModelRefusal): void
  }
}
