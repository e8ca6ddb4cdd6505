import { canonicalText } from '../canonical-text.ts'
import { DomainError } from '../errors.ts'
import { faultToFieldError, schemaFaults } from '../plan/fault.ts'
import type { NormalizedAlert } from './alert.ts'
import { AlertmanagerPayload } from './alertmanager-schema.ts'
import { GenericAlert } from './generic-alert-schema.ts'
import { normalizeAlertmanager } from './normalize-alertmanager.ts'
import { normalizeGeneric } from './normalize-generic.ts'

/** Most alerts that one request may carry. */
const MAX_ALERTS = 1_000

export interface NormalizedAlerts {
  alerts: NormalizedAlert[]
  /** alerts that the sender says it has left out, when there are any */
  truncated?: number
}

interface Shape {
  description: string
  fits(body: unknown): boolean
  /** the alerts as they stand in the payload */
  entries(body: unknown): readonly unknown[]
  normalize(body: unknown, sha256: Sha256): NormalizedAlerts
}

/** Lower-case hex of the SHA-256 of a text's UTF-8. */
type Sha256 = (text: string) => string

const SHAPES: ReadonlyMap<string, Shape> = new Map([
  [
    'alertmanager',
    {
      description: 'alertmanager (`version: "4"` with `alerts`)',
      fits: (body) => isObject(body) && body['version'] === '4' && Array.isArray(body['alerts']),
      entries: grouped,
      normalize: fromAlertmanager,
    },
  ],
  [
    'generic',
    {
      description: 'generic (`{source, service, symptom}`, one or a list)',
      fits: (body) =>
        listed(body).every((each) => isObject(each) && GENERIC_KEYS.every((key) => typeof each[key] === 'string')),
      entries: listed,
      normalize: fromGeneric,
    },
  ],
] satisfies [string, Shape][])

const GENERIC_KEYS = ['source', 'service', 'symptom']

/** The alerts of a payload, in its order. Its shape is found by looking, unless `source` names it. */
export function normalizeAlerts(body: unknown, source: string | undefined, sha256: Sha256): NormalizedAlerts {
  const shape = source === undefined ? [...SHAPES.values()].find((each) => each.fits(body)) : SHAPES.get(source)
  if (shape === undefined) {
    const what = source === undefined ? 'The payload has no known shape' : `Alerts of ${source} are not understood`
    const known = [...SHAPES.values()].map((each) => each.description).join(', ')
    throw new DomainError('unrecognised_alert', `${what}. Known: ${known}.`, { known: [...SHAPES.keys()] })
  }
  const count = shape.entries(body).length
  if (count > MAX_ALERTS) {
    const message = `The payload has ${count} alerts; one request takes at most ${MAX_ALERTS}.`
    throw new DomainError('payload_too_large', message, { max_alerts: MAX_ALERTS })
  }
  return shape.normalize(body, sha256)
}

function fromAlertmanager(body: unknown, sha256: Sha256): NormalizedAlerts {
  const payload = parsed(AlertmanagerPayload, body, [])
  const raw = grouped(body)
  const alerts = payload.alerts.map((alert, index) =>
    normalizeAlertmanager(alert, {
      raw_digest: digestOf(raw[index], sha256),
      external_url: payload.externalURL,
      sha256,
    }),
  )
  const truncated = payload.truncatedAlerts ?? 0
  return { alerts, ...(truncated > 0 && { truncated }) }
}

function fromGeneric(body: unknown, sha256: Sha256): NormalizedAlerts {
  const alerts = listed(body).map((raw, index) =>
    normalizeGeneric(parsed(GenericAlert, raw, Array.isArray(body) ? [index] : []), {
      raw_digest: digestOf(raw, sha256),
      sha256,
    }),
  )
  return { alerts }
}

interface Schema<Output> {
  safeParse(
    value: unknown,
  ): { success: true; data: Output } | { success: false; error: { issues: Parameters<typeof schemaFaults>[0] } }
}

function parsed<Output>(schema: Schema<Output>, value: unknown, path: (string | number)[]): Output {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = schemaFaults(result.error.issues.slice(0, MAX_FIELD_ERRORS))
  const errors = faults.map((fault) => faultToFieldError({ ...fault, path: [...path, ...fault.path] }))
  throw new DomainError('validation_failed', 'The alerts are not complete.', { errors })
}

const MAX_FIELD_ERRORS = 50

function digestOf(raw: unknown, sha256: Sha256): string {
  return `sha256:${sha256(canonicalText(raw))}`
}

function grouped(body: unknown): readonly unknown[] {
  return isObject(body) && Array.isArray(body['alerts']) ? body['alerts'] : []
}

function listed(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
