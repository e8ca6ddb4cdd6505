import type { JsonObject } from '#core/json.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { GateRecord } from '#store/run-records.ts'
import { describeOperation } from './describe-operation.ts'
import { recordedTargets } from './step-records.ts'
import type { JudgedStep } from './step-verdict.ts'
import type { Walk } from './walk.ts'

/** What the chain says of an effect before it happens: which try it is, what it is aimed at, and on whose answers it stands. */
export function effectFacts(
  walk: Walk,
  step: PlanStep,
  judged: JudgedStep,
  tried: { attempt: number; approved_by: string | null },
): JsonObject {
  return {
    ...tried,
    vouched_by: vouching(walk, step, judged)?.id ?? null,
    ...(judged.is_read ? {} : { targets: recordedTargets(describeOperation(walk, step, judged)) }),
  }
}

/** The gate in which an owner answered for whoever lost their standing. That it still counts is the record's to say, in `vouched_for`. */
function vouching({ gates }: Walk, step: PlanStep, { plan_hash }: JudgedStep): GateRecord | undefined {
  return gates.findLast(
    (gate) =>
      gate.kind === 'standing_lost' &&
      gate.status === 'approved' &&
      (gate.step_id !== step.id || gate.plan_hash === plan_hash),
  )
}
