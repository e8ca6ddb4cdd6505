import { canonicalText } from '../json/canonical.ts'
import type { NormalizedAlert } from './alert.ts'
import { ALERT_SOURCES } from './alert-sources.ts'

/**
 * One alert's facts about one episode: its subject, and the time of its state. Times of one sender are compared with each other and never
 * with our clock.
 */
export interface AlertIdentity {
  /** tells one instance from another: the sender's own id, else the digest of the labels */
  member: string
  /** where the member is unique: the tool for an id of its own, so that a new title or service does not lose it, else the fingerprint */
  scope: string
  /** when it fired or ended; undefined where the sender does not tell */
  at: string | undefined
  /** for this many seconds an end wins over a later firing that began before it */
  remembered_s: number
}

const TOOLS = new Map(ALERT_SOURCES.map((tool) => [tool.name, tool]))
const [QUARTER_OF_AN_HOUR_S, WEEK_S] = [900, 604_800]
const MAX_ID_CHARS = 200
/** the limit of the database; a year of five digits is a mistake anyway */
const FOUR_DIGITS = /^\d{4}-/

export function alertIdentityOf(alert: NormalizedAlert, sha256: (text: string) => string): AlertIdentity {
  const { external_id: id, fingerprint, labels, source, status, as_of, starts_at, ends_at } = alert
  const { ids_are_labels, dates_events } = TOOLS.get(source) ?? {}
  const member = id !== undefined && id.length <= MAX_ID_CHARS ? id : `sha256:${sha256(id ?? canonicalText(labels))}`
  const at = status === 'firing' ? (as_of ?? starts_at) : ends_at
  return {
    member,
    scope: id === undefined || ids_are_labels ? fingerprint : sourceOf(fingerprint),
    at: at !== undefined && FOUR_DIGITS.test(at) ? at : undefined,
    remembered_s: dates_events ? WEEK_S : QUARTER_OF_AN_HOUR_S,
  }
}

/** A fingerprint begins with its source. */
function sourceOf(fingerprint: string): string {
  return fingerprint.slice(0, Math.max(fingerprint.indexOf('|'), 0)) || fingerprint
}
