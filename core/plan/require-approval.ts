import { canonicalText } from '../canonical-text.ts'
import type { Hash } from './check-plan.ts'
import type { Plan } from './types.ts'

/**
 * The same plan, of which nothing acts before somebody has approved it: every step that is no plain read asks, and where there is none, the
 * first. It has a digest of its own.
 */
export function requireApproval({ digest: _digest, ...plan }: Plan, hash: Hash): Plan {
  const acts = plan.steps.map(
    ({ action_type, operator_type }) => action_type !== 'read' || (operator_type ?? 'read') !== 'read',
  )
  const steps = plan.steps.map((step, index) =>
    acts[index] || (index === 0 && !acts.includes(true)) ? { ...step, requires_approval: true } : step,
  )
  const stricter = { ...plan, steps }
  return { ...stricter, digest: `sha256:${hash(canonicalText(stricter))}` }
}
