import type { NormalizedAlert, Suppressed } from './alert.ts'
import type { CloudwatchAlarm, CloudwatchMetric, SnsEnvelope } from './cloudwatch-schema.ts'
import { fingerprintOf } from './fingerprint.ts'
import { firstText, timeOf } from './normalize-fields.ts'
import { severityOf } from './severity.ts'

const SOURCE = 'cloudwatch'

interface Context {
  raw_digest: string
  sha256: (text: string) => string
}

/** An alarm of CloudWatch. That it has too little data to say anything is suppressed. */
export function normalizeCloudwatch(alarm: CloudwatchAlarm, context: Context): NormalizedAlert | Suppressed {
  const metric = metricOf(alarm)
  const dimensions = metric?.Dimensions ?? []
  const service = serviceOfMetric(metric)
  const symptom = firstText(alarm.AlarmName) ?? 'unnamed'
  const fingerprint = fingerprintOf({ source: SOURCE, service, symptom }, context.sha256)
  if (alarm.NewStateValue === 'INSUFFICIENT_DATA') {
    return { suppressed: true, fingerprint, detail: 'the alarm has too little data to be in a state' }
  }
  const status = alarm.NewStateValue === 'OK' ? 'resolved' : 'firing'
  const description = firstText(alarm.AlarmDescription ?? undefined, alarm.NewStateReason ?? undefined)
  const external_id = firstText(alarm.AlarmArn ?? undefined, alarm.AlarmName)
  // "+0000" is an offset to CloudWatch only
  const at = timeOf(alarm.StateChangeTime?.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
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

/** A subscription is confirmed by a person, never by whoever can post here. */
export function suppressConfirmation({ Type, TopicArn }: SnsEnvelope, { sha256 }: Context): Suppressed {
  const topic = TopicArn.slice(TopicArn.lastIndexOf(':') + 1)
  const fingerprint = fingerprintOf({ source: SOURCE, service: topic, symptom: Type }, sha256)
  const detail =
    Type === 'SubscriptionConfirmation'
      ? 'the subscription waits for a person who opens its SubscribeURL'
      : 'the topic has been unsubscribed from'
  return { suppressed: true, fingerprint, detail }
}

/** The metric of the alarm; of an expression, its first one. */
function metricOf({ Trigger }: CloudwatchAlarm): CloudwatchMetric | undefined {
  if (Trigger === null || Trigger === undefined) return undefined
  if (firstText(Trigger.Namespace ?? undefined) !== undefined) return Trigger
  return Trigger.Metrics?.find((each) => each.MetricStat)?.MetricStat?.Metric
}

function serviceOfMetric(metric: CloudwatchMetric | undefined): string {
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
