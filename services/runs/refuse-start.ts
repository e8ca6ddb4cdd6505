import type { Environment } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { freezesOn, isBlocking } from '#core/freeze/active-freeze.ts'
import { isCompensation, requestersOf } from '#core/gate/requester.ts'
import { findHalt, type Halt, setterFor } from '#core/halt/halt.ts'
import type { JsonObject } from '#core/json/json.ts'
import { planActionTypes } from '#core/plan/estimate-plan.ts'
import type { Plan } from '#core/plan/types.ts'
import { planSubjects } from '#core/policy/plan-subjects.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import type { ServiceContext, StartContext } from '../context.ts'
import type { RefusalReport } from '../refusals/record-refusals.ts'
import type { Admission } from './admission.ts'
import { type PlannedStart, planHash } from './plan-hash.ts'
import { placeInPipeline, startAudit } from './run-record.ts'

/** Returns the error of one of these halts, with `halted` and its id; undefined where none covers the request. */
export function refuseHalted(
  ctx: ServiceContext,
  { pack, template, environment, provenance }: Pick<RunDraft, 'pack' | 'template' | 'environment' | 'provenance'>,
  halts: readonly Halt[],
): Refused | undefined {
  const name = `${pack}/${template}`
  const subject = {
    workspace_id: ctx.workspace_id,
    environment,
    template: name,
    requesters: requestersOf(provenance),
    compensation: isCompensation(provenance),
  }
  const halt = findHalt(halts, subject)
  if (halt === undefined) return undefined
  const { id: halt_id, reason } = halt
  const { display } = setterFor(ctx.actor, halt)
  return {
    error: new DomainError('halted', `a halt is in force: ${reason} (${display}, ${halt_id})`, { halt_id, reason }),
    audit: startAudit(ctx, {
      action: 'run.halted',
      subject: { type: 'template', id: name },
      data: { environment, halt_id, ...placeInPipeline(provenance) },
    }),
  }
}

/** A request that starts no run, with its record, which is written once nothing else came of it. */
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

/**
 * Returns the error of a freeze without approvers, with `frozen`; undefined without one. A freeze with approvers lets the run start, and
 * its steps wait for them. `place`: that of the run in a pipeline.
 */
export function refuseFrozen(
  ctx: ServiceContext,
  plan: Plan,
  environment: Environment,
  place: JsonObject = {},
): Refused | undefined {
  const writes = planActionTypes(plan).some((type) => type !== 'read')
  const freeze = freezesOn(environment, ctx.clock(), writes).find(isBlocking)
  if (freeze === undefined) return undefined
  const { name, until } = freeze
  return {
    error: new DomainError('frozen', `the environment ${environment.name} is frozen: ${name} is on until ${until}`, {
      freeze: name,
      until,
    }),
    audit: startAudit(ctx, {
      action: 'run.frozen',
      subject: { type: 'template', id: `${plan.pack}/${plan.template}` },
      data: { environment: environment.name, freeze: name, until, ...place },
    }),
  }
}

/** Throws `plan_changed` for a start that names another plan than the current one, whatever part differs. */
export async function refuseChanged(
  ctx: StartContext,
  { plan_hash, sandbox, dry_run }: Admission,
  start: Omit<PlannedStart, 'sandbox' | 'dry_run'>,
): Promise<void> {
  if (plan_hash === undefined || plan_hash === (await planHash(ctx, { ...start, sandbox, dry_run }))) return
  throw new DomainError('plan_changed', 'what would be started is not the plan that was shown', {
    template_digest: start.template.plan.digest,
  })
}
