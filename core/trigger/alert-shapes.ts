import { canonicalText } from '../canonical-text.ts'
import { DomainError } from '../errors.ts'
import type { NormalizedAlert, Suppressed } from './alert.ts'
import { AlertmanagerPayload } from './alertmanager-schema.ts'
import { CloudwatchAlarm, SnsEnvelope } from './cloudwatch-schema.ts'
import { DatadogPayload } from './datadog-schema.ts'
import { GenericAlert } from './generic-alert-schema.ts'
import { GrafanaPayload } from './grafana-schema.ts'
import { normalizeAlertmanager } from './normalize-alertmanager.ts'
import { normalizeCloudwatch, suppressConfirmation } from './normalize-cloudwatch.ts'
import { normalizeDatadog } from './normalize-datadog.ts'
import { normalizeGeneric } from './normalize-generic.ts'
import { normalizeGrafana } from './normalize-grafana.ts'
import { normalizePagerduty } from './normalize-pagerduty.ts'
import { PagerdutyPayload } from './pagerduty-schema.ts'
import { parseAlert } from './parse-alert.ts'

/** Lower-case hex of the SHA-256 of a text's UTF-8. */
export type Sha256 = (text: string) => string

/** How the payload of one tool is recognised and read. */
export interface AlertShape {
  description: string
  fits(body: unknown): boolean
  /** the alerts as they stand in the payload */
  entries(body: unknown): readonly unknown[]
  normalize(body: unknown, sha256: Sha256): { found: (NormalizedAlert | Suppressed)[]; truncated?: number | undefined }
}

const one = (body: unknown): readonly unknown[] => [body]

/** By the name of the source; a payload has the first shape that fits. */
export const SHAPES: ReadonlyMap<string, AlertShape> = new Map([
  [
    'grafana',
    {
      description: 'grafana (`orgId` with `alerts`)',
      fits: (body) => isObject(body) && typeof body['orgId'] === 'number' && Array.isArray(body['alerts']),
      entries: grouped,
      normalize: (body, sha256) => fromGroup(body, parseAlert(GrafanaPayload, body), normalizeGrafana, sha256),
    },
  ],
  [
    'alertmanager',
    {
      description: 'alertmanager (`version: "4"` with `alerts`)',
      fits: (body) => isObject(body) && body['version'] === '4' && Array.isArray(body['alerts']),
      entries: grouped,
      normalize: (body, sha256) =>
        fromGroup(body, parseAlert(AlertmanagerPayload, body), normalizeAlertmanager, sha256),
    },
  ],
  [
    'pagerduty',
    {
      description: 'pagerduty (V3: `event` with `event_type`)',
      fits: (body) => isObject(body) && isObject(body['event']) && typeof body['event']['event_type'] === 'string',
      entries: one,
      normalize: (body, sha256) => {
        const { event } = parseAlert(PagerdutyPayload, body)
        return { found: [normalizePagerduty(event, digesting(body, sha256))] }
      },
    },
  ],
  [
    'cloudwatch',
    {
      description: 'cloudwatch (an SNS envelope, or `AlarmName` with `NewStateValue`)',
      fits: (body) => isObject(body) && (isEnvelope(body) || hasText(body, ['AlarmName', 'NewStateValue'])),
      entries: one,
      normalize: fromSns,
    },
  ],
  [
    'datadog',
    {
      description: 'datadog (its default payload, or `transition` with `alert_id`, `cycle_key` or `aggreg_key`)',
      fits: (body) =>
        isObject(body) &&
        (hasText(body, ['transition', 'title'])
          ? ['alert_id', 'cycle_key', 'aggreg_key'].some((key) => Object.hasOwn(body, key))
          : hasText(body, ['event_type', 'title', 'body']) && Object.hasOwn(body, 'org')),
      entries: one,
      normalize: (body, sha256) => ({
        found: [normalizeDatadog(parseAlert(DatadogPayload, body), digesting(body, sha256))],
      }),
    },
  ],
  [
    'generic',
    {
      description: 'generic (`{source, service, symptom}`, one or a list)',
      fits: (body) => listed(body).every((each) => isObject(each) && hasText(each, ['source', 'service', 'symptom'])),
      entries: listed,
      normalize: (body, sha256) => ({
        found: listed(body).map((raw, index) =>
          normalizeGeneric(parseAlert(GenericAlert, raw, Array.isArray(body) ? [index] : []), digesting(raw, sha256)),
        ),
      }),
    },
  ],
] satisfies [string, AlertShape][])

interface Group<Alert> {
  externalURL?: string | undefined
  truncatedAlerts?: number | undefined
  alerts: Alert[]
}

function fromGroup<Alert>(
  body: unknown,
  { alerts, externalURL, truncatedAlerts }: Group<Alert>,
  normalize: (
    alert: Alert,
    context: { raw_digest: string; external_url?: string | undefined; sha256: Sha256 },
  ) => NormalizedAlert,
  sha256: Sha256,
) {
  const raw = grouped(body)
  const found = alerts.map((alert, index) =>
    normalize(alert, Object.assign(digesting(raw[index], sha256), { external_url: externalURL })),
  )
  return { found, truncated: truncatedAlerts }
}

function fromSns(body: unknown, sha256: Sha256): { found: (NormalizedAlert | Suppressed)[] } {
  const context = digesting(body, sha256)
  if (!isObject(body) || !isEnvelope(body))
    return { found: [normalizeCloudwatch(parseAlert(CloudwatchAlarm, body), context)] }
  const envelope = parseAlert(SnsEnvelope, body)
  if (envelope.Type !== 'Notification') return { found: [suppressConfirmation(envelope, context)] }
  const alarm = parseAlert(CloudwatchAlarm, messageOf(envelope.Message), ['Message'])
  return { found: [normalizeCloudwatch(alarm, context)] }
}

/** SNS carries whatever was published to the topic, not alarms only. */
function messageOf(text: string): unknown {
  try {
    const message: unknown = JSON.parse(text)
    if (isObject(message) && hasText(message, ['AlarmName'])) return message
  } catch {
    // what is no JSON is no alarm either
  }
  throw new DomainError('unrecognised_alert', 'The message that SNS carries is no alarm of CloudWatch.', {
    known: [...SHAPES.keys()],
  })
}

/** The digest of a payload as it arrived, taken when somebody asks for it. */
function digesting(raw: unknown, sha256: Sha256): { readonly raw_digest: string; sha256: Sha256 } {
  let digest: string | undefined
  return {
    sha256,
    get raw_digest() {
      digest ??= `sha256:${sha256(canonicalText(raw))}`
      return digest
    },
  }
}

function isEnvelope(body: Record<string, unknown>): boolean {
  return hasText(body, ['Type', 'TopicArn', 'Message'])
}

function hasText(body: Record<string, unknown>, keys: string[]): boolean {
  return keys.every((key) => typeof body[key] === 'string')
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
