import type { JsonObject } from '#core/json-pointer.ts'
import type { GateRecord } from '#store/run-answers.ts'
import { describeOperation } from './describe-operation.ts'
import { recordedTargets } from './step-records.ts'
import type { JudgedWork } from './step-work.ts'

/** What the chain says of an effect before it happens: which try it is, what it is aimed at, and on whose answers it stands. */
export function effectFacts(work: JudgedWork, tried: { attempt: number; approved_by: string | null }): JsonObject {
  return {
    ...tried,
    vouched_by: vouching(work)?.id ?? null,
    ...(work.judged.is_read ? {} : { targets: recordedTargets(describeOperation(work)) }),
  }
}

/** The gate in which an owner answered for whoever lost their standing. That it still counts is the record's to say, in `vouched_for`. */
function vouching({ session, step, judged }: JudgedWork): GateRecord | undefined {
  return session.gates.findLast(
    (gate) =>
      gate.kind === 'standing_lost' &&
      gate.status === 'approved' &&
      // a workspace without its environment is asked about by such a gate too, and nobody vouches for it
      gate.required.vouches_for !== undefined &&
      (gate.step_id !== step.id || gate.plan_hash === judged.plan_hash),
  )
}
