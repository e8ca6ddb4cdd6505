import { ApiError } from '../../lib/api.ts'
import { STRINGS } from '../../strings.ts'
import { isGone, type PendingApproval } from './api.ts'
import { Decided } from './decided.tsx'

/** A refusal in the API's own words, with what to do about it, and with who was first where somebody was. */
export function Refused({ error, approval }: { error: Error; approval: PendingApproval }) {
  const code = error instanceof ApiError ? error.code : ''
  const advice = (STRINGS.gates.advice as Readonly<Record<string, string>>)[code]
  return (
    <div role="alert" className="mt-3 rounded border border-line bg-sunk p-3">
      <p className="font-medium text-bad">{error.message}</p>
      {advice !== undefined && <p>{advice}</p>}
      {isGone(error) && <Decided run_id={approval.run_id} gate_id={approval.gate_id} />}
    </div>
  )
}
