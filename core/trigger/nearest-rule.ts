import type { NormalizedAlert } from './alert.ts'
import { matchGlob } from './glob.ts'
import type { TriggerRule } from './rule.ts'

/** The rule that came nearest to an alert that none fits, and what of it does not fit; undefined where no rule is for alerts. */
export function nearestRule(
  rules: readonly TriggerRule[],
  alert: NormalizedAlert,
  on: TriggerRule['on'] = 'alert',
): string | undefined {
  const [nearest] = rules
    .filter((rule) => rule.on === on)
    .map((rule) => ({ rule, misses: missesOf(rule, alert) }))
    .sort((a, b) => a.misses.length - b.misses.length)
  if (nearest === undefined) return undefined
  const { rule, misses } = nearest
  const why = misses.length === 0 ? 'its condition `when` does not hold' : misses.join('; ')
  return `no rule fits; ${rule.name} came nearest: ${why}`
}

/** The alert's own words are its sender's; the rule's are what this workspace's alerts are held against. */
function missesOf({ match }: TriggerRule, alert: NormalizedAlert): string[] {
  const symptoms = typeof match.symptom === 'string' ? [match.symptom] : (match.symptom ?? ['*'])
  const label = (name: string): string => {
    const value: unknown = Object.getOwnPropertyDescriptor(alert.labels, name)?.value
    return typeof value === 'string' ? value : ''
  }
  return [
    ...miss('source', alert.source, [match.source ?? '*']),
    ...miss('service', alert.service, [match.service ?? '*']),
    ...miss('symptom', alert.symptom, symptoms),
    ...(match.severity.length === 0 || match.severity.includes(alert.severity)
      ? []
      : [`the severity of the alert is ${alert.severity}, not ${match.severity.join(' or ')}`]),
    ...Object.entries(match.labels).flatMap(([name, glob]) => miss(`label ${name}`, label(name), [glob])),
  ]
}

function miss(what: string, got: string, globs: readonly string[]): string[] {
  if (globs.some((glob) => matchGlob(glob, got))) return []
  return [
    `the ${what} of the alert is ${got === '' ? 'missing' : shortened(got)}, not ${globs.slice(0, 5).join(' or ')}`,
  ]
}

function shortened(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`
}
