import { DomainError } from '../errors.ts'
import type { NormalizedAlert, Suppressed } from './alert.ts'
import { type AlertShape, SHAPES, type Sha256 } from './alert-shapes.ts'

/** Most alerts that one request may carry. */
const MAX_ALERTS = 1_000

export interface NormalizedAlerts {
  alerts: NormalizedAlert[]
  /** what was sent and is no alert, when there is any */
  suppressed?: Suppressed[]
  /** alerts that the sender says it has left out, when there are any */
  truncated?: number
}

/** The alerts of a payload, in its order. Its shape is found by looking, unless `source` names it. */
export function normalizeAlerts(body: unknown, source: string | undefined, sha256: Sha256): NormalizedAlerts {
  const shape = shapeOf(body, source)
  const count = shape.entries(body).length
  if (count > MAX_ALERTS) {
    const message = `The payload has ${count} alerts; one request takes at most ${MAX_ALERTS}.`
    throw new DomainError('payload_too_large', message, { max_alerts: MAX_ALERTS })
  }
  const { found, truncated = 0 } = shape.normalize(body, sha256)
  const suppressed = found.filter((each): each is Suppressed => 'suppressed' in each)
  const alerts = found.filter((each): each is NormalizedAlert => !('suppressed' in each))
  return { alerts, ...(suppressed.length > 0 && { suppressed }), ...(truncated > 0 && { truncated }) }
}

function shapeOf(body: unknown, source: string | undefined): AlertShape {
  const shape = source === undefined ? [...SHAPES.values()].find((each) => each.fits(body)) : SHAPES.get(source)
  if (shape !== undefined) return shape
  const what = source === undefined ? 'The payload has no known shape' : `Alerts of ${source} are not understood`
  const known = [...SHAPES.values()].map((each) => each.description).join(', ')
  throw new DomainError('unrecognised_alert', `${what}. Known: ${known}.`, { known: [...SHAPES.keys()] })
}
