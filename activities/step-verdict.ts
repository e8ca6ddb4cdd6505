import { canonicalText } from '#core/canonical-text.ts'
import type { Environment } from '#core/environment.ts'
import { resolveGate } from '#core/gate/resolve.ts'
import type { Authorities, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json.ts'
import type { Operator } from '#core/operator.ts'
import type { PlanStep } from '#core/plan/types.ts'
import { type PolicyVerdict, RISKS, type Risk } from '#core/policy/types.ts'
import type { RunHead } from '#store/run-records.ts'
import type { ActivityDeps } from './deps.ts'
import type { Walk } from './walk.ts'

/** One operation, rendered and judged: what would be done, whether a person must agree, and the hash of both. */
export interface JudgedStep {
  operator: Operator
  input: JsonObject
  action_type: string
  verdict: PolicyVerdict
  gate: { on: boolean; authorities: Authorities; required: Required; because: string[] }
  plan_hash: string
}

/** Asks the four authorities about a rendered operation. A policy set that cannot be read turns the gate on. */
export async function judgeStep(
  deps: ActivityDeps,
  walk: Walk,
  step: PlanStep,
  operator: Operator,
  input: JsonObject,
): Promise<JudgedStep> {
  const { head, plan, environment } = walk
  const action_type = operator.actionType?.(input) ?? operator.action_type
  const action_types =
    action_type === 'read' ? [action_type] : [...new Set([action_type, step.action_type, ...plan.action_types])]
  const verdict = await decide(deps, head, environment, {
    environment: environment.name,
    environment_class: environment.class,
    risk: higherRisk(plan.risk, operator.risk),
    action_types,
    capabilities: operator.capabilities,
  })
  const gate = resolveGate({
    operator: operator.requires_approval,
    profile: profileVote(deps, head.profile, action_types),
    policy: verdict,
    pack: step.requires_approval,
    min_approvals: environment.approval.min_approvals,
    prevent_self: environment.approval.prevent_self,
    dry_run_unavailable: verdict.dry_run && operator.simulate === undefined,
  })
  return { operator, input, action_type, verdict, gate, plan_hash: planHash(deps, walk, step, operator, input) }
}

/** A profile that cannot be read votes for the gate. */
function profileVote(deps: ActivityDeps, name: string, actionTypes: string[]): boolean {
  try {
    return deps.environments.profile(name).requires_approval.some((type) => actionTypes.includes(type))
  } catch (error) {
    deps.log.warn({ profile: name, error: String(error) }, 'a profile cannot be read: the gate is on')
    return true
  }
}

/** Covers exactly what will be done: the operator and its version, the rendered input, the place and the template. */
function planHash(deps: ActivityDeps, walk: Walk, step: PlanStep, operator: Operator, input: JsonObject): string {
  const subject = {
    v: 1,
    workspace: walk.head.workspace_id,
    environment: walk.environment.name,
    template: walk.plan.digest,
    step: step.id,
    operator: operator.id,
    version: operator.version,
    input: operator.wants_scope ? { ...input, scope: null } : input,
  }
  return `sha256:${deps.sha256(canonicalText(subject))}`
}

async function decide(
  deps: ActivityDeps,
  head: RunHead,
  environment: Environment,
  subject: Parameters<Awaited<ReturnType<ActivityDeps['policies']['effective']>>['decide']>[0],
): Promise<PolicyVerdict> {
  try {
    return (await deps.policies.effective(head.workspace_id, environment)).decide(subject)
  } catch (error) {
    deps.log.warn({ run_id: head.id, error: String(error) }, 'policies cannot be read: the gate is on')
    return {
      effect: 'require_hitl',
      matched: [],
      dry_run: false,
      approval_roles: [],
      channels: [],
      broken_policies: ['policies cannot be read'],
      snapshot_hash: 'unavailable',
    }
  }
}

function higherRisk(a: Risk, b: Risk): Risk {
  return RISKS.indexOf(a) >= RISKS.indexOf(b) ? a : b
}
