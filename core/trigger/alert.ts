import type { Json, JsonObject } from '../json/json.ts'

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

/** What an expression over `alert` finds in each of its members. */
export const ALERT_TYPES: JsonObject = { properties: MEMBERS }

/** Every member that an expression over `alert` may name. */
export const ALERT_MEMBERS: ReadonlySet<string> = new Set(Object.keys(MEMBERS))

/** The alert as expressions see it. */
export function alertScope(alert: NormalizedAlert): { alert: { [member: string]: Json } } {
  return { alert }
}
