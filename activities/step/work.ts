import type { AdvanceOutcome } from '#core/contract.ts'
import type { GateResolution } from '#core/gate/resolve.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Operator } from '#core/operator.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { PolicyVerdict } from '#core/policy/types.ts'
import type { PredictedStep } from '#core/run/dry-run-schema.ts'
import type { StepFacts } from '#core/run/step-records.ts'
import type { RedactedInput } from '#core/secret/redact-input.ts'
import type { StepDeps } from '../deps.ts'
import type { RunSession } from '../run/run-session.ts'
import type { Resolved } from './resolved.ts'

export type StepEnd = { kind: 'settled' } | AdvanceOutcome

/** An operation as it will be done: its input rendered and normalised, and all that it reaches read. */
export interface Operation {
  operator: Operator
  input: JsonObject
  resolved: Resolved
}

/** One operation, rendered and judged: what would be done, whether a person must agree, and the hash of both. */
export interface JudgedStep extends Operation {
  /** the input as people and records see it */
  redacted: Pick<RedactedInput, 'shown' | 'commitments'>
  /** the operator and the step both call it a read: it acts on nothing */
  is_read: boolean
  /** as people are shown it: the operator's, or the declared one where the operator alone would call it a read */
  action_type: string
  verdict: PolicyVerdict
  gate: GateResolution
  plan_hash: string
  /** what the hash is over, part by part: digests, and the words in which people are told of a change */
  covers: CoveredDigests
}

type CoveredDigests = Record<string, { title: string; digest: string; text?: string }>

/** A step at work: its dependencies, the session of its run, and the step of the plan. */
export interface StepWork {
  readonly deps: StepDeps
  readonly session: RunSession
  readonly step: PlanStep
}

/** With what it will do, as that was judged. */
export interface JudgedWork extends StepWork {
  readonly judged: JudgedStep
  /** of a read that a dry run does */
  readonly predicted?: PredictedStep
}

/** What transitions say of the step and its run. */
export function factsOf({ session, step }: Pick<StepWork, 'session' | 'step'>): StepFacts {
  return { run: session.head, step, ordinal: session.plan.steps.indexOf(step) }
}
