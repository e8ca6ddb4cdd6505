import { BudgetSpentError, createBudget, type EvaluationBudget } from '../expression/evaluation-budget.ts'
import { nearestName } from '../text/did-you-mean.ts'
import { cutText } from '../text/text.ts'
import type { NormalizedAlert } from './alert.ts'
import { matchGlob } from './match-rule.ts'
import type { TriggerRule } from './rule.ts'

/** Cost limit of the search for one alert. */
const MAX_UNITS = 100_000
const UNITS_PER_RULE = 50
/** Longer texts are not compared letter by letter. */
const MAX_NEAR_CHARS = 64

/**
 * Returns why no rule fits an alert: the mismatches of the rule that came nearest, or that no rule is near. Nearest is what misses least,
 * of those what fits in most, and of those what misses by a few letters. Undefined where no rule is for alerts. Where there are too many to
 * compare, it is that of the first, and says so. Costs count `within` another budget as well.
 */
export function nearestRule(
  rules: readonly TriggerRule[],
  alert: NormalizedAlert,
  on: TriggerRule['on'] = 'alert',
  within?: EvaluationBudget,
): string | undefined {
  const asked = rules.filter((rule) => rule.on === on)
  const all = compared(asked, alert, createBudget(MAX_UNITS, within))
  if (all.length === 0) return undefined
  const among = all.length < asked.length ? ` of the first ${all.length}` : ''
  const [nearest] = all
    .filter(({ misses, fits, near }) => misses.length === 0 || fits + near > 0)
    .sort((a, b) => a.misses.length - b.misses.length || b.fits - a.fits || b.near - a.near)
  if (nearest === undefined) return `no rule fits, and none${among} is near: each differs in all that it asks for`
  const { rule, misses } = nearest
  const why = misses.length === 0 ? 'its condition `when` does not hold' : misses.join('; ')
  return `no rule fits; ${rule.name} came nearest${among}: ${why}`
}

interface Compared {
  rule: TriggerRule
  /** what does not fit */
  misses: string[]
  /** number of parts of the alert that the rule asks for and that fit */
  fits: number
  /** number of misses by a few letters */
  near: number
}

/** One thing that a rule asks for. */
interface Part {
  what: string
  got: string
  globs: readonly string[]
}

function compared(rules: readonly TriggerRule[], alert: NormalizedAlert, budget: EvaluationBudget): Compared[] {
  const found: Compared[] = []
  try {
    for (const rule of rules) {
      budget.spend(UNITS_PER_RULE)
      const parts = partsOf(rule, alert)
      const missed = parts.filter(({ got, globs }) => !globs.some((glob) => matchGlob(glob, got, budget)))
      const near = missed.filter((part) => isNear(part, budget)).length
      found.push({ rule, misses: missed.map(missText), fits: parts.length - missed.length, near })
    }
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error
  }
  return found
}

/** What a rule asks for; a star asks for nothing but a label that is there. */
function partsOf({ match }: TriggerRule, alert: NormalizedAlert): Part[] {
  const { source = '*', service = '*', symptom = '*', severity, labels } = match
  const named: Part[] = [
    { what: 'source', got: alert.source, globs: [source] },
    { what: 'service', got: alert.service, globs: [service] },
    { what: 'symptom', got: alert.symptom, globs: typeof symptom === 'string' ? [symptom] : symptom },
    { what: 'severity', got: alert.severity, globs: severity.length === 0 ? ['*'] : severity },
  ]
  return [
    ...named.filter(({ globs }) => !globs.includes('*')),
    ...Object.entries(labels).map(([name, glob]) => ({
      what: `label ${name}`,
      got: labelOf(alert, name),
      globs: [glob],
    })),
  ]
}

function labelOf(alert: NormalizedAlert, name: string): string {
  const value: unknown = Object.getOwnPropertyDescriptor(alert.labels, name)?.value
  return typeof value === 'string' ? value : ''
}

/** Tells whether there may be a typo in the rule or in the alert. */
function isNear({ got, globs }: Part, budget: EvaluationBudget): boolean {
  if (got.length > MAX_NEAR_CHARS) return false
  const alike = globs.filter((glob) => Math.abs(glob.length - got.length) <= got.length / 3)
  budget.spend(alike.reduce((cost, glob) => cost + glob.length * got.length, 0))
  return nearestName(got, alike) !== undefined
}

/** The alert's text is its sender's; the rule's belongs to this workspace. */
function missText({ what, got, globs }: Part): string {
  return `the ${what} of the alert is ${got === '' ? 'missing' : shortened(got)}, not ${globs.slice(0, 5).join(' or ')}`
}

function shortened(text: string): string {
  return text.length <= 100 ? text : `${cutText(text, 99)}…`
}
