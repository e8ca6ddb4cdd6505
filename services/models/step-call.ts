import type { Environment, Profile } from '#core/environment.ts'
import type { MicroUsd } from '#core/money.ts'
import type { ModelRefusal, ModelSettlement } from '#store/model-calls.ts'
import type { FoundModels } from './find-models.ts'
import type { CallVerdict } from './judge-call.ts'
import type { ModelCall } from './prepare-call.ts'

/** A call that a step makes. It was judged as that step, before the step was opened, and is not judged again. */
export interface StepCall extends ModelCall {
  run_id: string
  step: {
    step_id: string
    attempt: number
    plan_hash: string
    /** what the attempt holds the run by */
    fence: number
    environment: Environment
    profile: Profile
    /** the models that may answer, as the plan hash of the step covers them: no other is asked */
    found: FoundModels
    verdict: CallVerdict
    /** keeps the secrets of the run out of what is recorded */
    redact(text: string): string
    /** told of every request to a provider when it is settled; without a basis nobody could write it down, and it is charged whole */
    charged(charge: { micro_usd: MicroUsd; basis?: ModelSettlement['basis'] }): void
    /** told why a request may not begin */
    refused(refusal: ModelRefusal): void
  }
}
