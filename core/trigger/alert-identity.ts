import { canonicalText } from '../json/canonical.ts'
import type { NormalizedAlert } from './alert.ts'

/**
 * What one alert says of one episode: whose it is, and when what it says was so. Times of one sender are compared with each other and
 * never with a clock of ours.
 */
export interface AlertIdentity {
  /** tells one instance from another: the sender's own id, else the digest of the labels */
  member: string
  /** within what the member is unique: the tool for an id of its own, so that a new title or service does not lose it, else the fingerprint */
  scope: string
  /** when it fired or ended; undefined where the sender does not say */
  at: string | undefined
  /** so long an end counts against a firing that comes after it and began before it, in seconds */
  remembered_s: number
}

/** Their ids are digests of the labels: an alert of another name is another alert. */
const BY_LABELS: ReadonlySet<string> = new Set(['alertmanager', 'grafana'])
/**
 * They say when each event happened. The others say when an alert began, and say it again for as long as it fires: what comes soon after
 * the end is late, and what comes later fires still, so that the end was a mistake.
 */
const SAYS_ITS_EVENTS: ReadonlySet<string> = new Set(['cloudwatch', 'datadog', 'pagerduty'])
const [QUARTER_OF_AN_HOUR_S, WEEK_S] = [900, 604_800]
const MAX_ID_CHARS = 200
/** what a database can hold; a year of five digits is a mistake anyway */
const FOUR_DIGITS = /^\d{4}-/

export function alertIdentityOf(alert: NormalizedAlert, sha256: (text: string) => string): AlertIdentity {
  const { external_id: id, fingerprint, labels, source, status, as_of, starts_at, ends_at } = alert
  const member = id !== undefined && id.length <= MAX_ID_CHARS ? id : `sha256:${sha256(id ?? canonicalText(labels))}`
  const at = status === 'firing' ? (as_of ?? starts_at) : ends_at
  return {
    member,
    scope: id === undefined || BY_LABELS.has(source) ? fingerprint : sourceOf(fingerprint),
    at: at !== undefined && FOUR_DIGITS.test(at) ? at : undefined,
    remembered_s: SAYS_ITS_EVENTS.has(source) ? WEEK_S : QUARTER_OF_AN_HOUR_S,
  }
}

/** A fingerprint begins with its source. */
function sourceOf(fingerprint: string): string {
  return fingerprint.slice(0, Math.max(fingerprint.indexOf('|'), 0)) || fingerprint
}
