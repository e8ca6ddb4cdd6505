import { uncovered } from '#core/gate/requirement.ts'
import type { GateRecord } from '#store/run-answers.ts'
import type { JudgedStep } from './step-work.ts'

/** Why the latest answer does not cover what is about to run; undefined when it does. */
export function missingApproval(judged: JudgedStep, latest: GateRecord | undefined): string[] | undefined {
  if (latest?.status !== 'approved') return []
  if (latest.plan_hash !== judged.plan_hash) return ['plan_changed']
  const reason = uncovered(latest.required, judged.gate.required)
  if (reason !== undefined) return [reason]
  // nobody may let anything through such a freeze, whichever way the answer came
  return judged.gate.frozen ? ['frozen'] : undefined
}
