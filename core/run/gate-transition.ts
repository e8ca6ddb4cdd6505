import { askedBy } from '../gate/requester.ts'
import { requirement } from '../gate/requirement.ts'
import type { JsonObject } from '../json/json.ts'
import type { GateOpening, Transition } from './patch.ts'
import { type Attempt, attemptEnded, decidedRecords, type JudgedFacts, type StepFacts } from './step-records.ts'

/** An attempt that may have acted, and whose outcome is not known. */
export interface UnknownOutcome {
  attempt: number
  message: string
  /** absent where its worker was lost: it was charged when its fence was taken */
  made?: Attempt
}

export interface Parking {
  gate: Omit<GateOpening, 'step_id' | 'ordinal' | 'plan_hash'>
  /** why this gate opens now */
  because: string[]
  /** how many gates the step had before */
  nth: number
  action_type: string
  operator: { id: string; version: number }
  targets: JsonObject
  evidence: { step: string; digest: string }[]
  unknown?: UnknownOutcome | undefined
}

/** The run waits for an answer to exactly what its gate shows. */
export function parked(of: StepFacts, judged: JudgedFacts, parking: Parking): Transition {
  const { run, step, key } = of
  const { plan_hash } = judged
  const { because, unknown } = parking
  const gate = { ...parking.gate, ...key, plan_hash }
  const ended = unknown?.made && attemptEnded(of, unknown.made, { state: 'outcome_unknown', plan_hash })
  const asked = { ...judged, gate: { on: true, because } }
  const at = { phase: `gate/${parking.nth}`, attempt: gate.attempt }
  const decided = decidedRecords(of, asked, { ...at, led_to: 'gate' })
  const opened = {
    gate_id: gate.id,
    step: step.id,
    plan_hash,
    kind: gate.kind,
    because,
    expires_at: gate.expires_at,
  }
  return {
    ...(unknown && {
      settle: {
        ...ended?.settle,
        ...key,
        state: 'outcome_unknown',
        attempt: unknown.attempt,
        message: unknown.message,
      },
    }),
    gate,
    events: [
      ...(ended?.events ?? []),
      decided.event,
      { key: `gate/${gate.id}/opened`, type: 'gate.opened', step: step.id, data: opened },
    ],
    audit: [
      ...(ended ? [ended.audit] : []),
      decided.audit,
      {
        category: 'gated_operation',
        action: 'gate.opened',
        subject: { type: 'gate', id: gate.id },
        data: {
          ...opened,
          ...askedBy(run.provenance),
          required: requirement(gate.required),
          environment: run.environment,
          operator: `${parking.operator.id}@${parking.operator.version}`,
          action_type: parking.action_type,
          targets: parking.targets,
          evidence: parking.evidence.map(({ step: from, digest }) => ({ step: from, digest })),
        },
      },
    ],
  }
}
