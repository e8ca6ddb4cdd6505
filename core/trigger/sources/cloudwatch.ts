import { z } from 'zod'
import { isObject } from '../../json/json.ts'
import { parseDelivery } from '../../json/storable-json.ts'
import type { NormalizedAlert, Suppressed } from '../alert.ts'
import {
  type AlertContext,
  type AlertSource,
  alertContext,
  hasText,
  type NormalizedPayload,
  type Sha256,
} from '../alert-source.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { firstText, timeOf } from '../normalize-fields.ts'
import { parseAlert, severityOf } from '../parse-alert.ts'
import { SenderText } from '../sender-schema.ts'
import { type TransitionWords, transitionOf, unknownTransition } from '../transitions.ts'

const Text = z.string()

const Metric = z.object({
  Namespace: SenderText,
  MetricName: SenderText,
  Dimensions: z.array(z.object({ name: Text, value: Text })).nullish(),
})
type Metric = z.output<typeof Metric>

/** The message of CloudWatch when an alarm changes its state. A composite alarm has no `Trigger`. */
const Alarm = z.object({
  AlarmName: Text,
  AlarmDescription: SenderText,
  AlarmArn: SenderText,
  AWSAccountId: SenderText,
  Region: SenderText,
  NewStateValue: Text,
  NewStateReason: SenderText,
  StateChangeTime: SenderText,
  Trigger: Metric.extend({
    /** of an alarm on a metric expression: the expression, and the metrics it is made of */
    Metrics: z
      .array(
        z.object({
          MetricStat: z
            .object({
              Metric: Metric.extend({
                Dimensions: z
                  .array(
                    z.object({
                      name: SenderText,
                      value: SenderText,
                      Name: SenderText,
                      Value: SenderText,
                    }),
                  )
                  .nullish()
                  .transform((all) =>
                    all?.map((one) => ({ name: one.name ?? one.Name ?? '', value: one.value ?? one.Value ?? '' })),
                  ),
              }),
            })
            .nullish(),
        }),
      )
      .nullish(),
  }).nullish(),
})
type Alarm = z.output<typeof Alarm>

/** The request of Amazon SNS to a subscriber. */
const SnsEnvelope = z.object({
  Type: z.enum(
    ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'],
    'takes Notification, SubscriptionConfirmation or UnsubscribeConfirmation',
  ),
  TopicArn: z.string(),
  Message: z.string(),
})
type SnsEnvelope = z.output<typeof SnsEnvelope>

const SOURCE = 'cloudwatch'
const TITLE = 'CloudWatch'

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-actions.html (NewStateValue) */
const TRANSITIONS: TransitionWords = { alarm: 'firing', ok: 'resolved', insufficient_data: 'no_change' }

const EXAMPLE = {
  Type: 'Notification',
  TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  Message: JSON.stringify({
    AlarmName: 'HighErrorRate',
    NewStateValue: 'ALARM',
    StateChangeTime: '2026-01-01T12:00:00.000+0000',
    Trigger: {
      Namespace: 'AWS/ApplicationELB',
      MetricName: 'HTTPCode_Target_5XX_Count',
      Dimensions: [{ name: 'LoadBalancer', value: 'checkout' }],
    },
  }),
}

export const cloudwatch: AlertSource = {
  name: SOURCE,
  title: `${TITLE} (through SNS)`,
  recognised_by: 'an SNS envelope, or `AlarmName` with `NewStateValue`',
  example: EXAMPLE,
  transitions: TRANSITIONS,
  dates_events: true,
  fits: (body) => isObject(body) && (isEnvelope(body) || hasText(body, ['AlarmName', 'NewStateValue'])),
  entries: (body) => [body],
  normalize: fromSns,
}

function fromSns(body: unknown, sha256: Sha256): NormalizedPayload | undefined {
  const context = alertContext(body, sha256)
  if (!isObject(body) || !isEnvelope(body)) return { found: [normalizeCloudwatch(parseAlert(Alarm, body), context)] }
  const envelope = parseAlert(SnsEnvelope, body)
  if (envelope.Type !== 'Notification') return { found: [suppressConfirmation(envelope, context)] }
  const message = messageOf(envelope.Message)
  if (message === undefined) return undefined
  return { found: [normalizeCloudwatch(parseAlert(Alarm, message, ['Message']), context)] }
}

/** SNS forwards any message of the topic, not only alarms. */
function messageOf(text: string): unknown {
  try {
    const message: unknown = parseDelivery(text)
    return isObject(message) && hasText(message, ['AlarmName']) ? message : undefined
  } catch {
    return undefined // not JSON, so no alarm
  }
}

function isEnvelope(body: Record<string, unknown>): boolean {
  return hasText(body, ['Type', 'TopicArn', 'Message'])
}

/** Normalises an alarm of CloudWatch. An alarm with insufficient data is ignored. */
function normalizeCloudwatch(alarm: Alarm, context: AlertContext): NormalizedAlert | Suppressed {
  const metric = metricOf(alarm)
  const dimensions = metric?.Dimensions ?? []
  const service = serviceOfMetric(metric)
  const symptom = firstText(alarm.AlarmName) ?? 'unnamed'
  const fingerprint = fingerprintOf({ source: SOURCE, service, symptom }, context.sha256)
  const status = transitionOf(TRANSITIONS, alarm.NewStateValue)
  if (status === undefined) return unknownTransition({ name: SOURCE, title: TITLE }, alarm.NewStateValue, fingerprint)
  if (status === 'no_change') {
    return { suppressed: true, fingerprint, detail: 'the alarm has too little data to be in a state' }
  }
  const description = firstText(alarm.AlarmDescription ?? undefined, alarm.NewStateReason ?? undefined)
  // another account or region may have an alarm of this name
  const named = [alarm.AWSAccountId, alarm.Region, alarm.AlarmName].filter((part) => typeof part === 'string').join('/')
  const external_id = firstText(alarm.AlarmArn ?? undefined, named)
  const at = timeOf(alarm.StateChangeTime ?? undefined)
  return {
    source: SOURCE,
    service,
    symptom,
    status,
    severity: severityOf(undefined),
    fingerprint,
    ...(external_id !== undefined && { external_id }),
    title: symptom,
    ...(description !== undefined && { description }),
    labels: labelsOf({
      ...Object.fromEntries(dimensions.map(({ name, value }) => [name, value])),
      namespace: metric?.Namespace,
      metric: metric?.MetricName,
      region: alarm.Region,
      account_id: alarm.AWSAccountId,
    }),
    annotations: labelsOf({ reason: alarm.NewStateReason }),
    ...(at !== undefined && (status === 'firing' ? { starts_at: at } : { ends_at: at })),
    links: [],
    get raw_digest() {
      return context.raw_digest
    },
  }
}

/** A subscription is confirmed by a person, never by a sender. */
function suppressConfirmation({ Type, TopicArn }: SnsEnvelope, { sha256 }: AlertContext): Suppressed {
  const topic = TopicArn.slice(TopicArn.lastIndexOf(':') + 1)
  const fingerprint = fingerprintOf({ source: SOURCE, service: topic, symptom: Type }, sha256)
  const detail =
    Type === 'SubscriptionConfirmation'
      ? 'the subscription waits for a person who opens its SubscribeURL'
      : 'the topic has been unsubscribed from'
  return { suppressed: true, fingerprint, detail }
}

/** The metric of the alarm; of an expression, its first one. */
function metricOf({ Trigger }: Alarm): Metric | undefined {
  if (Trigger === null || Trigger === undefined) return undefined
  if (firstText(Trigger.Namespace ?? undefined) !== undefined) return Trigger
  return Trigger.Metrics?.find((each) => each.MetricStat)?.MetricStat?.Metric
}

function serviceOfMetric(metric: Metric | undefined): string {
  const namespace = firstText(metric?.Namespace ?? undefined)
  if (namespace === undefined) return SOURCE
  const dimension = firstText(metric?.Dimensions?.[0]?.value)
  return dimension === undefined ? namespace : `${namespace}/${dimension}`
}

function labelsOf(values: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]])),
  )
}
