import type { Json } from '../json.ts'

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** One alert of whatever tool, in the one shape that rules and fingerprints know. */
export type NormalizedAlert = {
  /** the tool that sent it, such as `alertmanager` */
  source: string
  service: string
  symptom: string
  status: 'firing' | 'resolved'
  severity: Severity
  /** `source|service|symptom`, normalized, with its sha256 */
  fingerprint: string
  /** the tool's own id of this very alert */
  external_id?: string
  title: string
  description?: string
  labels: Record<string, string>
  annotations: Record<string, string>
  /** what the queries of a rule answered, by their reference */
  values?: Record<string, string>
  starts_at?: string
  ends_at?: string
  /** when the tool says that it fires, where that is not when it began: what comes later counts */
  as_of?: string
  /** addresses that help a person: the graph, the run book, the silence */
  links: { title: string; url: string }[]
  /** where the tool shows what raised the alert */
  generator_url?: string
  /** digest of the payload as it arrived; taken when it is asked for, which few rules do */
  readonly raw_digest: string
}

/** What a tool sends and nobody acts on. */
export interface Suppressed {
  suppressed: true
  fingerprint: string
  /** why */
  detail: string
  /** a transition that the tool does not publish */
  unknown?: { source: string; word: string }
}

/** Every member that an expression over `alert` may name. */
export const ALERT_MEMBERS: ReadonlySet<string> = new Set<keyof NormalizedAlert>([
  'source',
  'service',
  'symptom',
  'status',
  'severity',
  'fingerprint',
  'external_id',
  'title',
  'description',
  'labels',
  'annotations',
  'values',
  'starts_at',
  'ends_at',
  'links',
  'generator_url',
  'raw_digest',
])

/** The alert as expressions see it. */
export function alertScope(alert: NormalizedAlert): { alert: { [member: string]: Json } } {
  return { alert }
}
