import type { JsonObject } from '../json/json.ts'
import type { Risk } from '../policy/types.ts'

export interface RetryPolicy {
  max_attempts: number
  initial_ms: number
  backoff: number
  max_ms: number
}

/** One compiled step: everything that a run needs, independent of later edits of the template. */
export interface PlanStep {
  id: string
  name: string
  operator: string
  operator_version: number
  /** input with `${{ CEL }}` expressions, rendered when the step begins */
  with: JsonObject
  /** bare CEL; the step is skipped when it is false */
  when?: string
  /** the pack binding, one of the four authorities */
  requires_approval: boolean
  /** the step's own; without one, the operator's, as far as it is known before the input is rendered */
  action_type: string
  /** the operator's action type; only where the step has an `action_type` of its own */
  operator_type?: string
  risk: Risk
  capabilities: string[]
  timeout_ms: number
  retry: RetryPolicy
}

/** A compiled template. Plain JSON: it is stored by its digest, which is taken again whenever it is loaded. */
export interface Plan {
  v: 1
  pack: string
  template: string
  pack_version: string
  pack_digest: string
  title: string
  risk: Risk
  action_types: string[]
  capabilities: string[]
  steps: PlanStep[]
  /** expressions over steps, rendered when the run succeeds */
  outputs: JsonObject
  /** digest of everything above: `sha256:` and lower-case hex */
  digest: string
}
