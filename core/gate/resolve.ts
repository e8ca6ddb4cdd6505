import { type ActiveFreeze, isBlocking } from '../freeze/active-freeze.ts'
import type { PolicyVerdict } from '../policy/types.ts'
import type { Authorities, Required } from './types.ts'

export interface GateInput {
  operator: boolean
  profile: boolean
  policy: PolicyVerdict
  pack: boolean
  /** of the environment; less than one counts as one. A policy can only ask for more */
  min_approvals: number
  /** of the environment; a policy can only turn it on */
  prevent_self: boolean
  /** the operator cannot simulate, or its simulation failed */
  dry_run_unavailable?: boolean
  /** freezes that block this operation now */
  freezes?: readonly ActiveFreeze[]
  /** the profile wants decisions to name the plan */
  require_plan_hash?: boolean
}

export interface GateResolution {
  on: boolean
  /** true during a freeze without approvers of its own: no approval lets this operation through before its end */
  frozen: boolean
  authorities: Authorities
  required: Required
  /** reasons for the gate, one sentence each */
  because: string[]
}

/**
 * Resolves a gate from its four authorities (spec section 3): each can turn it on, none can turn another's off.
 * A vote that is not plainly `false` counts as on. `deny` is no gate: anyone who calls refuses the step.
 */
export function resolveGate(input: GateInput): GateResolution {
  const operator = says(input.operator)
  const profile = says(input.profile)
  const pack = says(input.pack)
  const freezes = input.freezes ?? []
  const because = [
    ...(operator ? ['the operator requires approval'] : []),
    ...(profile ? ['the profile requires approval for this action type'] : []),
    ...policyCauses(input.policy),
    ...(pack ? ['the pack requires approval for this step'] : []),
    ...(needsDryRun(input.policy) && says(input.dry_run_unavailable ?? false)
      ? ['a policy requires a dry run, and there is no successful one']
      : []),
    ...freezes.map(({ name, until }) => `the freeze ${name} is on until ${until}`),
  ]
  return {
    on: because.length > 0,
    frozen: freezes.some(isBlocking),
    authorities: { operator, profile, policy: input.policy, pack },
    required: {
      approvals: Math.max(quorum(input.min_approvals), quorum(input.policy.min_approvals ?? 1)),
      approval_roles: distinct([...input.policy.approval_roles, ...freezeClauses(freezes)]),
      prevent_self: says(input.prevent_self) || input.policy.prevent_self === true,
      ...(input.policy.require_note !== undefined && { require_note: input.policy.require_note }),
      ...(says(input.require_plan_hash ?? false) && { require_plan_hash: true }),
      ...(freezes.length > 0 && { freezes: freezes.map(({ name }) => name) }),
    },
    because,
  }
}

function says(vote: boolean): boolean {
  return vote !== false
}

function policyCauses({ effect, matched, broken_policies }: PolicyVerdict): string[] {
  const broken = broken_policies.map((name) => `the policy ${name} is broken`)
  switch (effect) {
    case 'allow_auto':
    case 'require_dry_run':
    case 'deny':
      return broken
    case 'require_hitl': {
      const asking = matched.filter((match) => match.effect === 'require_hitl' && !broken_policies.includes(match.name))
      const causes = asking.map(
        ({ name, layer, reason }) => `the ${layer} policy ${name} requires a person${reason && `: ${reason}`}`,
      )
      const all = [...causes, ...broken]
      if (all.length > 0) return all
      return matched.length === 0
        ? ['no policy matches, and here that requires a person']
        : ['no policy lets through all that this step is, and here that requires a person']
    }
    default:
      return [...broken, `the policy effect ${JSON.stringify(effect)} is unknown`]
  }
}

function needsDryRun(policy: PolicyVerdict): boolean {
  return says(policy.dry_run) || policy.effect === 'require_dry_run'
}

/** Returns one more clause for every freeze that names approvers. */
function freezeClauses(freezes: readonly ActiveFreeze[]): string[][] {
  return freezes.filter((freeze) => !isBlocking(freeze)).map(({ freeze_approvers }) => freeze_approvers)
}

/** NaN must not become a quorum that is met without a vote. */
function quorum(minApprovals: number): number {
  const whole = Math.ceil(minApprovals)
  return whole >= 1 ? whole : 1
}

function distinct(clauses: string[][]): string[][] {
  const byText = new Map(clauses.map((clause) => [textOf(clause), clause]))
  return [...byText.values()]
}

/** Most clauses are one role, used as it is: no JSON text of a list begins like one. */
function textOf(clause: string[]): string {
  const [only = ''] = clause
  return clause.length === 1 && !only.startsWith('[') ? only : JSON.stringify([...clause].sort())
}
