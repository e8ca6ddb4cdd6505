import type { Environment } from '#core/environment.ts'
import { DomainError } from '#core/errors.ts'
import { planSubjects } from '#core/policy/plan-subjects.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import type { StartContext } from '../context.ts'
import type { RefusalReport } from '../refusals/record-refusals.ts'
import { startAudit } from './start-audit.ts'

/** A wish that starts no run. What is to go on record, once it is certain that nothing else came of it. */
export interface Refused {
  error: DomainError
  audit?: RefusalReport['draft']
}

/**
 * The refusal of a policy, with `policy_denied`; undefined where none denies. At admission the subject is the union of the
 * template and all its steps, and only `deny` acts: everything else waits for its step.
 */
export async function refuseDenied(
  ctx: StartContext,
  { plan }: LoadedTemplate,
  environment: Environment,
): Promise<Refused | undefined> {
  const set = await ctx.policies.effective(ctx.workspace_id, environment).catch(() => undefined)
  const verdict = set?.decide(...planSubjects(plan, environment))
  if (verdict?.effect !== 'deny') return undefined
  const denied = verdict.matched.filter((match) => match.effect === 'deny')
  const policies = denied.map((match) => match.name)
  return {
    error: new DomainError('policy_denied', denied.map((match) => `${match.name}: ${match.reason}`).join('; '), {
      policies,
    }),
    audit: startAudit(ctx, {
      category: 'policy_decision',
      action: 'run.denied',
      subject: { type: 'template', id: `${plan.pack}/${plan.template}` },
      data: { environment: environment.name, policies, policy_snapshot: verdict.snapshot_hash },
    }),
  }
}
