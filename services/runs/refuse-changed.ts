import { DomainError } from '#core/errors.ts'
import type { StartContext } from '../context.ts'
import type { Admission } from './admission.ts'
import { type PlannedStart, planHash } from './plan-hash.ts'

/**
 * The record decides what a plan is now: a start that names another one than was shown throws `plan_changed`, whatever of it is
 * another. Alone, a `plan_hash` may be the digest of the template, whose former name it is.
 */
export async function refuseChanged(
  ctx: StartContext,
  { plan_hash, template_digest, sandbox, dry_run }: Admission,
  start: Omit<PlannedStart, 'sandbox' | 'dry_run'>,
): Promise<void> {
  const { digest } = start.template.plan
  const isFormerName = template_digest === undefined && plan_hash === digest
  if (plan_hash === undefined || isFormerName) return
  if (plan_hash === (await planHash(ctx, { ...start, sandbox, dry_run }))) return
  throw new DomainError('plan_changed', 'what would be started is not the plan that was shown', {
    template_digest: digest,
  })
}
