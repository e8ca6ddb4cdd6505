import type { AdvanceOutcome } from '#core/contract.ts'
import type { GateResolution } from '#core/gate/resolve.ts'
import type { GateKind, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Operator, Simulation } from '#core/operator.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { PolicyVerdict } from '#core/policy/types.ts'
import type { PredictedStep } from '#core/run/dry-run-schema.ts'
import type { UnknownOutcome } from '#core/run/gate-transition.ts'
import type { Transition } from '#core/run/patch.ts'
import type { RunFailure } from '#core/run/run-transitions.ts'
import type { Attempt, StepFacts } from '#core/run/step-records.ts'
import type { Settled } from '#core/run/step-transitions.ts'
import type { RedactedInput } from '#core/secret/redact-input.ts'
import type { GateRecord, Refusal, StepRecord } from '#store/runs/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import type { RunSession } from '../run/run-session.ts'
import type { Resolved } from './resolved.ts'

/** An operation as it will be done: its input rendered and normalised, and all that it reaches read. */
export interface Operation {
  operator: Operator
  input: JsonObject
  resolved: Resolved
  /** the same for every attempt, and for every gate of a step */
  idempotency_key: string
}

/** One operation, rendered and judged: what would be done, the hash of that, and whether a person must agree. */
export interface JudgedStep extends Operation {
  /** the input as people and records see it */
  redacted: Pick<RedactedInput, 'shown' | 'commitments'>
  /** the operator and the step both call it a read: it acts on nothing */
  is_read: boolean
  /** as people are shown it: the operator's, or the declared one where the operator alone would call it a read */
  action_type: string
  /** of what this input does */
  risk: Operator['risk']
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
  /** what transitions say of the step and its run */
  readonly of: StepFacts
  /** as it is on record, with what waits to be written */
  readonly record: StepRecord | undefined
}

/** With what it will do, as that was judged. */
export interface JudgedWork extends StepWork {
  readonly judged: JudgedStep
}

export function workOn(deps: StepDeps, session: RunSession, step: PlanStep): StepWork {
  const key = { step_id: step.id, ordinal: session.plan.steps.indexOf(step) }
  return {
    deps,
    session,
    step,
    of: { run: session.head, step, key },
    get record() {
      return session.steps.get(step.id)
    },
  }
}

/** The same step, with what it will do. */
export function judgedWork(work: StepWork, judged: JudgedStep): JudgedWork {
  return {
    ...work,
    judged,
    get record() {
      return work.record
    },
  }
}

export type StepEnd = { kind: 'settled' } | AdvanceOutcome

/** How a step, or its execution, ends for now. */
export type Conclusion =
  /** nothing is written here; after `yielded` or `delayed` the execution releases its run (`releaseAfter`) */
  | { kind: 'end'; end: StepEnd }
  | { kind: 'settle'; settled: Settled }
  | { kind: 'fail'; failure: RunFailure; made?: Attempt }
  /** the execution ends so when the transition is written */
  | { kind: 'write'; transition: Transition; end: AdvanceOutcome }
  /** another attempt follows in this execution */
  | { kind: 'retry'; transition: Transition; delay_ms: number }

/** What is to become of a step now. */
export type Decision =
  | Conclusion
  | { kind: 'hold'; refusal: HeldBack }
  | { kind: 'ask'; cause: GateCause }
  | { kind: 'act'; basis: AttemptBasis }

/** What becomes of a step by how its attempt ended. */
export type Settlement = Conclusion | Extract<Decision, { kind: 'ask' }>

/** Why a step may not begin; `grant_lost`: its environment is not granted to the run's workspace any more. */
export type HeldBack = Refusal | { refused: 'grant_lost' }

export interface GateCause {
  kind: GateKind
  /** why this gate opens now: because the authorities say so, the plan changed, an outcome is unknown */
  because: string[]
  /** the same in words, for those who answer; it stays out of the records */
  words?: string | undefined
  /** the attempt whose outcome is unknown */
  unknown?: UnknownOutcome
  simulation?: JsonObject
  /** who must agree, where it is not what the authorities ask of the step */
  required?: Required
}

/** What lets an attempt begin: its simulation and its approval, where it needs them. */
export interface AttemptBasis {
  attempt: number
  simulation: Simulation | undefined
  approval?: GateRecord | undefined
  /** of a read that a dry run does */
  predicted?: PredictedStep
}
