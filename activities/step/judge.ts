import { isGranted } from '#core/environment/environment.ts'
import { freezesOn } from '#core/freeze/active-freeze.ts'
import { uncovered } from '#core/gate/requirement.ts'
import { resolveGate } from '#core/gate/resolve.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json } from '#core/json/json.ts'
import { capabilitiesOf } from '#core/operator.ts'
import { type StepSubjects, stepSubjects } from '#core/policy/step-subjects.ts'
import type { PolicyVerdict } from '#core/policy/types.ts'
import { type CommitmentOf, redactInput } from '#core/secret/redact-input.ts'
import type { Redactor } from '#core/secret/redactor.ts'
import { differingParts } from '#core/text/differing-parts.ts'
import { cutText, hasName } from '#core/text/text.ts'
import { visible } from '#core/text/visible-text.ts'
import type { GateRecord } from '#store/runs/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import { profileOf, type RunSession } from '../run/run-session.ts'
import { type CoveredPart, coveredParts } from './resolved.ts'
import type { JudgedStep, Operation, StepWork } from './work.ts'

const MAX_CHARS = 500

/** What differs between the plan that a gate showed and the one that would run now, in a sentence; undefined where the gate does not say. */
export function planChanges(
  { covers }: Pick<JudgedStep, 'covers'>,
  redactor: Redactor,
  shown: Pick<GateRecord, 'covers'> | undefined,
): string | undefined {
  const before = shown?.covers
  if (!before) return undefined
  const changes = Object.entries(covers).flatMap(([name, { title, digest, text }]) => {
    const was = before[name]
    if (was?.digest === digest) return []
    if (was === undefined || text === undefined) return [title]
    // as the gate kept it
    const is = redactor.text(visible(text))
    // what is hashed and not shown is a secret
    if (was.text === is) return [`${title} (a key or another secret of ${cut(is)}, or a setting of it)`]
    const [from, to] = differingParts(was.text ?? 'none', is, MAX_CHARS)
    return [`${title} (was ${from}; is ${to})`]
  })
  return changes.length === 0 ? undefined : `changed since this was approved: ${changes.join('; ')}`
}

function cut(text: string): string {
  return text.length <= MAX_CHARS ? text : `${cutText(text, MAX_CHARS)}…`
}

/** Asks the four authorities about a rendered operation. A policy set that cannot be read turns the gate on. */
export async function judgeStep({ deps, session, step }: StepWork, operation: Operation): Promise<JudgedStep> {
  const { head, plan, environment } = session
  const { operator, input } = operation
  const said = operator.actionType?.(input) ?? operator.action_type
  const risk = operator.riskOf?.(input) ?? operator.risk
  const declares = step.operator_type === undefined ? undefined : step.action_type
  const { is_read, action_types, subjects } = stepSubjects({
    environment,
    operator: {
      risk,
      action_type: said,
      capabilities: capabilitiesOf(operator, input),
    },
    declared: { risk: plan.risk, action_types: plan.action_types, action_type: declares },
  })
  const verdict = await decide(deps, session, subjects)
  const profile = profileVotes(deps, head.profile, action_types)
  const gate = resolveGate({
    operator: operator.requires_approval,
    profile: profile.gate,
    policy: verdict,
    pack: step.requires_approval,
    min_approvals: environment.approval.min_approvals,
    prevent_self: environment.approval.prevent_self,
    dry_run_unavailable: verdict.dry_run && operator.simulate === undefined,
    freezes: freezesOn(environment, deps.clock(), !is_read),
    require_plan_hash: profile.plan_hash,
  })
  // the scope is everything that expressions see: no part of what is done
  const { scope: _scope, ...own } = input
  const commitmentOf = deps.secrets?.commitmentsIn(head.workspace_id)
  const redacted = redactInput(operator.wants_scope ? own : input, session.redactor, commitmentOf)
  const place = { workspace: head.workspace_id, template: plan.digest, step: step.id }
  return {
    ...operation,
    is_read,
    action_type: said === 'read' && !is_read ? (declares ?? said) : said,
    risk,
    verdict,
    gate,
    redacted,
    ...hashPlan(deps, { ...operation, input: redacted.committed }, place, commitmentOf),
  }
}

/** A profile that cannot be read, or is gone, votes for all that a profile may ask. */
function profileVotes(deps: StepDeps, name: string, actionTypes: string[]): { gate: boolean; plan_hash: boolean } {
  const profile = profileOf(deps, name)
  if (profile === undefined) return { gate: true, plan_hash: true }
  return {
    gate: profile.requires_approval.some((type) => hasName(actionTypes, type)),
    plan_hash: profile.require_plan_hash ?? false,
  }
}

/**
 * Covers exactly what will be done: the operator and its version, the normalised input, the place and the template, and all that the step
 * is resolved through. A hidden value, a key, and the url of a connection, enter by their commitment: another secret is another plan, and the
 * hash gives nothing away.
 */
function hashPlan(
  { sha256 }: Pick<StepDeps, 'sha256'>,
  { operator, input, resolved }: Operation,
  place: { workspace: string; template: string; step: string },
  commitmentOf: CommitmentOf | undefined,
): Pick<JudgedStep, 'plan_hash' | 'covers'> {
  const { scope: _scope, ...own } = input
  const parts: Record<string, Omit<CoveredPart, 'text'> & { text?: string }> = {
    workspace: { title: 'the workspace', hashed: place.workspace },
    template: { title: 'the template', hashed: place.template },
    step: { title: 'the step', hashed: place.step },
    operator: { title: 'the operator', hashed: { id: operator.id, version: operator.version } },
    input: { title: 'the input', hashed: operator.wants_scope ? own : input },
    ...coveredParts(resolved, commitmentOf),
  }
  const digestOf = (value: Json) => `sha256:${sha256(canonicalText(value))}`
  const entries = Object.entries(parts)
  return {
    plan_hash: digestOf({ v: 3, ...Object.fromEntries(entries.map(([name, { hashed }]) => [name, hashed])) }),
    covers: Object.fromEntries(
      entries.map(([name, { title, hashed, text }]) => [
        name,
        { title, digest: digestOf(hashed), ...(text !== undefined && { text }) },
      ]),
    ),
  }
}

async function decide(
  deps: StepDeps,
  { head, environment }: RunSession,
  subjects: StepSubjects['subjects'],
): Promise<PolicyVerdict> {
  try {
    return (await deps.policies.effective(head.workspace_id, environment)).decide(...subjects)
  } catch (error) {
    deps.log.warn({ run_id: head.id, err: error }, 'policies cannot be read: the gate is on')
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

/** Nobody has approved the step yet: there is no reason besides those for which it is asked about. */
const NOT_APPROVED: string[] = []

/** Why the latest answer does not cover what is about to run; undefined when it does. */
export function missingApproval(judged: JudgedStep, latest: GateRecord | undefined): string[] | undefined {
  if (latest?.status !== 'approved') return NOT_APPROVED
  if (latest.plan_hash !== judged.plan_hash) return ['plan_changed']
  const reason = uncovered(latest.required, judged.gate.required)
  if (reason !== undefined) return [reason]
  // no approval lets anything through such a freeze
  return judged.gate.frozen ? ['frozen'] : undefined
}

/** Whether the run's workspace may still use its environment, by what is in force now. One that is gone has rules of its own. */
export async function isStillGranted(
  { environments, workspaces }: Pick<StepDeps, 'environments' | 'workspaces'>,
  { head, environment }: Pick<RunSession, 'head' | 'environment'>,
): Promise<boolean> {
  if (environments.get(head.environment) === undefined || isGranted(environment, undefined)) return true
  return isGranted(environment, (await workspaces.find(head.workspace_id))?.slug)
}
