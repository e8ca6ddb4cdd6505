import type { Json, JsonObject } from '../json/json.ts'

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** An alert of any tool, in the one shape that rules and fingerprints read. */
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
  /** results of a rule's queries, by their reference */
  values?: Record<string, string>
  starts_at?: string
  ends_at?: string
  /** time of the firing, where it differs from its beginning: the later one counts */
  as_of?: string
  /** addresses that help a person: the graph, the run book, the silence */
  links: { title: string; url: string }[]
  /** link to the alert's source in the tool */
  generator_url?: string
  /** digest of the payload as it arrived; computed on first use, since few rules need it */
  readonly raw_digest: string
}

/** A message of a tool that is ignored. */
export interface Suppressed {
  suppressed: true
  fingerprint: string
  /** the reason */
  detail: string
  /** a transition that the tool does not publish */
  unknown?: { source: string; word: string }
}

const TEXT = { type: 'string' }
const TEXTS = { type: 'object', additionalProperties: TEXT }

const MEMBERS: Record<keyof NormalizedAlert, JsonObject> = {
  source: TEXT,
  service: TEXT,
  symptom: TEXT,
  status: TEXT,
  severity: TEXT,
  fingerprint: TEXT,
  external_id: TEXT,
  title: TEXT,
  description: TEXT,
  labels: TEXTS,
  annotations: TEXTS,
  values: TEXTS,
  starts_at: TEXT,
  ends_at: TEXT,
  as_of: TEXT,
  links: { type: 'array', items: TEXTS },
  generator_url: TEXT,
  raw_digest: TEXT,
}

/** Types of the members of `alert` in expressions. */
export const ALERT_TYPES: JsonObject = { properties: MEMBERS }

/** Every member that an expression over `alert` may name. */
export const ALERT_MEMBERS: ReadonlySet<string> = new Set(Object.keys(MEMBERS))

/** The alert as expressions see it. */
export function alertScope(alert: NormalizedAlert): { alert: { [member: string]: Json } } {
  return { alert }
}
