import { DomainError } from '../errors.ts'
import { storableJson } from '../json/storable-json.ts'
import type { NormalizedAlert, Suppressed } from './alert.ts'
import type { AlertSource, Sha256 } from './alert-source.ts'
import { ALERT_SOURCES } from './alert-sources.ts'

/** Most alerts of one request. */
const MAX_ALERTS = 1_000

export interface NormalizedAlerts {
  alerts: NormalizedAlert[]
  /** ignored entries, when there are any */
  suppressed?: Suppressed[]
  /** alerts that the sender reports as left out, when there are any */
  truncated?: number
}

/** The alerts of a payload, in its order. Its shape is found by looking, unless `source` names it. */
export function normalizeAlerts(payload: unknown, source: string | undefined, sha256: Sha256): NormalizedAlerts {
  const body = storableJson(payload)
  const tool = source === undefined ? recognised(body) : named(source)
  const count = tool.entries(body).length
  if (count > MAX_ALERTS) {
    const message = `The payload has ${count} alerts; one request takes at most ${MAX_ALERTS}.`
    throw new DomainError('payload_too_large', message, { max_alerts: MAX_ALERTS })
  }
  const read = tool.normalize(body, sha256)
  if (read === undefined) throw unrecognised(`The payload comes from ${tool.title} and holds no alert.`)
  const { found, truncated = 0 } = read
  const suppressed = found.filter((each): each is Suppressed => 'suppressed' in each)
  const alerts = found.filter((each): each is NormalizedAlert => !('suppressed' in each))
  return { alerts, ...(suppressed.length > 0 && { suppressed }), ...(truncated > 0 && { truncated }) }
}

function recognised(body: unknown): AlertSource {
  const tool = ALERT_SOURCES.find((each) => each.fits(body))
  if (tool === undefined) throw unrecognised(`The payload has no known shape. Known: ${shapes()}.`)
  return tool
}

function named(source: string): AlertSource {
  const tool = ALERT_SOURCES.find(({ name }) => name === source)
  if (tool === undefined) throw unrecognised(`Alerts of ${source} are not understood. Known: ${shapes()}.`)
  return tool
}

function shapes(): string {
  return ALERT_SOURCES.map(({ name, recognised_by }) => `${name} (${recognised_by})`).join(', ')
}

function unrecognised(message: string): DomainError {
  return new DomainError('unrecognised_alert', message, { known: ALERT_SOURCES.map(({ name }) => name) })
}
