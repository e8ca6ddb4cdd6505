import { canonicalText } from '#core/canonical-text.ts'
import type { Environment } from '#core/environment.ts'
import { freezesOn } from '#core/freeze/active-freeze.ts'
import { type GateResolution, resolveGate } from '#core/gate/resolve.ts'
import type { JsonObject } from '#core/json.ts'
import type { PlanStep } from '#core/plan/types.ts'
import { type PolicyVerdict, RISKS, type Risk } from '#core/policy/types.ts'
import { type Commit, type VeiledInput, veilInput } from '#core/secret/veil-input.ts'
import type { RunHead } from '#store/run-records.ts'
import type { StepDeps } from './deps.ts'
import type { Operation } from './prepare-step.ts'
import type { Walk } from './walk.ts'

/** One operation, rendered and judged: what would be done, whether a person must agree, and the hash of both. */
export interface JudgedStep extends Operation {
  /** the input as people and records see it */
  veiled: Pick<VeiledInput, 'shown' | 'commitments'>
  action_type: string
  verdict: PolicyVerdict
  gate: GateResolution
  plan_hash: string
}

/** Asks the four authorities about a rendered operation. A policy set that cannot be read turns the gate on. */
export async function judgeStep(deps: StepDeps, walk: Walk, step: PlanStep, operation: Operation): Promise<JudgedStep> {
  const { head, plan, environment } = walk
  const { operator, input } = operation
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
  const profile = profileVotes(deps, head.profile, action_types)
  const gate = resolveGate({
    operator: operator.requires_approval,
    profile: profile.gate,
    policy: verdict,
    pack: step.requires_approval,
    min_approvals: environment.approval.min_approvals,
    prevent_self: environment.approval.prevent_self,
    dry_run_unavailable: verdict.dry_run && operator.simulate === undefined,
    freezes: freezesOn(environment, deps.clock(), action_type !== 'read'),
    require_plan_hash: profile.plan_hash,
  })
  // the scope is everything that expressions see: no part of what is done
  const { scope: _scope, ...own } = input
  const commit = deps.secrets?.commitIn(head.workspace_id)
  const veiled = veilInput(operator.wants_scope ? own : input, walk.redactor, commit)
  return {
    ...operation,
    action_type,
    verdict,
    gate,
    veiled,
    plan_hash: planHash(deps, walk, step, operation, veiled.committed, commit),
  }
}

/** A profile that cannot be read, or is gone, votes for all that a profile may ask. */
function profileVotes(deps: StepDeps, name: string, actionTypes: string[]): { gate: boolean; plan_hash: boolean } {
  try {
    const { requires_approval, require_plan_hash } = deps.environments.profile(name)
    return {
      gate: requires_approval.some((type) => actionTypes.includes(type)),
      plan_hash: require_plan_hash ?? false,
    }
  } catch (error) {
    deps.log.warn({ profile: name, error: String(error) }, 'a profile cannot be read: the gate is on')
    return { gate: true, plan_hash: true }
  }
}

/**
 * Covers exactly what will be done: the operator and its version, the normalised input, where its connection leads, what the
 * environment lets it reach, the place and the template. A hidden value, and the url of a connection, enter by their
 * commitment: another secret is another plan, and the hash gives nothing away.
 */
function planHash(
  deps: StepDeps,
  walk: Walk,
  step: PlanStep,
  { operator, connection }: Operation,
  input: JsonObject,
  commit: Commit | undefined,
): string {
  const subject = {
    v: 2,
    workspace: walk.head.workspace_id,
    environment: walk.environment.name,
    egress: egressRules(walk.environment),
    template: walk.plan.digest,
    step: step.id,
    operator: operator.id,
    version: operator.version,
    input: operator.wants_scope ? { ...input, scope: null } : input,
    connection:
      connection === undefined
        ? null
        : { id: connection.id, ...connection.target, url: commit?.({ connection: connection.url }) ?? null },
  }
  return `sha256:${deps.sha256(canonicalText(subject))}`
}

/** In whatever order they are written. */
export function egressRules({ egress }: Environment): string[] {
  return [...new Set(egress)].sort()
}

async function decide(
  deps: StepDeps,
  head: RunHead,
  environment: Environment,
  subject: Parameters<Awaited<ReturnType<StepDeps['policies']['effective']>>['decide']>[0],
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
