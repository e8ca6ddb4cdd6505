import type { Environment, Profile } from '../environment/environment.ts'
import type { OperatorCatalog } from '../operator.ts'
import type { Plan } from '../plan/types.ts'
import { explainPlan, type StepOutcome } from './explain-plan.ts'
import { planStepSubjects } from './plan-subjects.ts'
import { NOTE_RULES, type NoteRule, type PolicySet } from './types.ts'

/** The demands on a step that may differ between two sets of policies. */
export interface StepDemand {
  outcome: StepOutcome
  /** all of these clauses, any role of each */
  approval_roles: string[][]
  dry_run: boolean
  require_note?: NoteRule
  prevent_self?: true
  min_approvals?: number
}

export interface ChangedStep {
  step: string
  operator: string
  action_type: string
  before: StepDemand
  after: StepDemand
  /** a demand was dropped */
  looser: boolean
  /** the reasons of the new outcome */
  because: string[]
}

/** Returns the steps of a plan on which other policies make other demands, before it is rendered. */
export function changedSteps(
  plan: Plan,
  sets: { before: PolicySet; after: PolicySet },
  place: { environment: Environment; profile: Profile; operators: Pick<OperatorCatalog, 'get'> },
): ChangedStep[] {
  const [before, after] = [sets.before, sets.after].map((policies) => demandsOf(plan, policies, place))
  return plan.steps.flatMap((step, index): ChangedStep[] => {
    const [was, is] = [before?.[index], after?.[index]]
    if (was === undefined || is === undefined || sameDemand(was.demand, is.demand)) return []
    const { id, operator, action_type } = step
    const looser = isLooser(was.demand, is.demand)
    return [{ step: id, operator, action_type, before: was.demand, after: is.demand, looser, because: is.because }]
  })
}

function demandsOf(
  plan: Plan,
  policies: PolicySet,
  place: { environment: Environment; profile: Profile; operators: Pick<OperatorCatalog, 'get'> },
): { demand: StepDemand; because: string[] }[] {
  const { denied, steps } = explainPlan(plan, { ...place, policies })
  return plan.steps.flatMap((step, index) => {
    const explained = steps[index]
    if (explained === undefined) return []
    const { dry_run, require_note, prevent_self, min_approvals } = policies.decide(
      ...planStepSubjects(plan, step, place.environment).subjects,
    )
    const isDenied = denied.length > 0 || explained.outcome === 'deny'
    const demand: StepDemand = {
      outcome: isDenied ? 'deny' : explained.outcome,
      approval_roles: isDenied ? [] : explained.approval_roles,
      dry_run: !isDenied && dry_run,
      ...(!isDenied && require_note !== undefined && { require_note }),
      ...(!isDenied && prevent_self && { prevent_self }),
      ...(!isDenied && min_approvals !== undefined && { min_approvals }),
    }
    return [{ demand, because: denied.length > 0 ? denied : explained.because }]
  })
}

const STRICTNESS: readonly StepOutcome[] = ['auto', 'dry_run', 'gate', 'deny']

/** Each demand counts by itself: dropping a role is looser, whatever is demanded instead. */
function isLooser(before: StepDemand, after: StepDemand): boolean {
  if (after.outcome === 'deny') return false
  if (STRICTNESS.indexOf(after.outcome) < STRICTNESS.indexOf(before.outcome)) return true
  if (before.dry_run && !after.dry_run) return true
  if (before.prevent_self && !after.prevent_self) return true
  if ((before.min_approvals ?? 1) > (after.min_approvals ?? 1)) return true
  if (before.require_note !== undefined && !notesSuffice(before.require_note, after.require_note)) return true
  return !before.approval_roles.every((clause) =>
    after.approval_roles.some((other) => other.every((role) => clause.includes(role))),
  )
}

function notesSuffice(before: NoteRule, after: NoteRule | undefined): boolean {
  return after !== undefined && NOTE_RULES.indexOf(after) <= NOTE_RULES.indexOf(before)
}

function sameDemand(a: StepDemand, b: StepDemand): boolean {
  return textOf(a) === textOf(b)
}

function textOf({
  outcome,
  approval_roles,
  dry_run,
  require_note,
  prevent_self,
  min_approvals = 1,
}: StepDemand): string {
  const clauses = approval_roles.map((clause) => JSON.stringify([...clause].sort())).sort()
  return JSON.stringify([outcome, clauses, dry_run, require_note ?? null, prevent_self ?? false, min_approvals])
}
