import type { Environment, Profile } from '#core/environment/environment.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Plan } from '#core/plan/types.ts'
import { planStepSubjects, planSubjects } from '#core/policy/plan-subjects.ts'
import type { PolicySet, PolicyVerdict } from '#core/policy/types.ts'
import type { ServiceContext, StartPorts } from '../context.ts'
import { type ConfiguredInputs, splitInputs } from './configure-inputs.ts'

export interface PlannedStart {
  template: { plan: Plan; inputs_schema: JsonObject }
  /** with the defaults of the schema; undefined where what configures them is not there */
  inputs?: JsonObject
  configured?: Pick<ConfiguredInputs, 'provenance'>
  /** undefined where the start names a place that there is not, so that no start has this hash */
  place?: { environment: Environment; profile: Profile }
  sandbox?: boolean | undefined
  dry_run?: boolean | undefined
}

/**
 * Returns the digest of a start: the template, the inputs without their secrets, their sources, the environment, the profile, and the
 * policies' verdict on each step. A preflight shows it and an admission compares it.
 */
export async function planHash(
  ctx: Pick<ServiceContext, 'workspace_id' | 'sha256'> & Pick<StartPorts, 'policies'>,
  { template: { plan, inputs_schema }, inputs, configured, place, sandbox, dry_run }: PlannedStart,
): Promise<string> {
  const environment = place?.environment
  const policies = environment && (await ctx.policies.effective(ctx.workspace_id, environment).catch(() => undefined))
  const text = canonicalText({
    v: 1,
    workspace_id: ctx.workspace_id,
    template: `${plan.pack}/${plan.template}`,
    template_digest: plan.digest,
    inputs: inputs === undefined ? null : splitInputs(inputs_schema, inputs).public,
    configured: configured?.provenance ?? null,
    environment: environment ?? null,
    profile: place?.profile ?? null,
    sandbox: sandbox ?? false,
    dry_run: dry_run ?? false,
    verdicts: environment && policies ? verdictsOf(plan, environment, policies) : null,
  })
  return `sha256:${ctx.sha256(text)}`
}

function verdictsOf(plan: Plan, environment: Environment, policies: PolicySet) {
  return {
    start: shown(policies.decide(...planSubjects(plan, environment))),
    steps: plan.steps.map((step) => shown(policies.decide(...planStepSubjects(plan, step, environment).subjects))),
  }
}

/** Without the digest of the whole set: a change of an unrelated policy changes nothing about this plan. */
function shown({
  effect,
  matched,
  dry_run,
  approval_roles,
  require_note,
  prevent_self,
  min_approvals,
  broken_policies,
}: PolicyVerdict) {
  return {
    effect,
    matched,
    dry_run,
    approval_roles,
    require_note: require_note ?? null,
    broken_policies,
    ...(prevent_self && { prevent_self }),
    ...(min_approvals !== undefined && { min_approvals }),
  }
}
