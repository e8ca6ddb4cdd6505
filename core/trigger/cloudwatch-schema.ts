import { z } from 'zod'

/** The message is text inside the text that was checked when it arrived, so its own escapes are checked here. */
const Text = z
  .string()
  .refine((text) => !text.includes('\u0000') && text.isWellFormed(), 'holds text that is not valid Unicode, or U+0000')

const Metric = z.object({
  Namespace: Text.nullish(),
  MetricName: Text.nullish(),
  Dimensions: z.array(z.object({ name: Text, value: Text })).nullish(),
})
export type CloudwatchMetric = z.output<typeof Metric>

/** What CloudWatch publishes when an alarm changes its state. A composite alarm has no `Trigger`. */
export const CloudwatchAlarm = z.object({
  AlarmName: Text,
  AlarmDescription: Text.nullish(),
  AlarmArn: Text.nullish(),
  AWSAccountId: Text.nullish(),
  Region: Text.nullish(),
  NewStateValue: z.enum(['ALARM', 'OK', 'INSUFFICIENT_DATA'], 'takes ALARM, OK or INSUFFICIENT_DATA'),
  NewStateReason: Text.nullish(),
  StateChangeTime: Text.nullish(),
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
                      name: Text.optional(),
                      value: Text.optional(),
                      Name: Text.optional(),
                      Value: Text.optional(),
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
export type CloudwatchAlarm = z.output<typeof CloudwatchAlarm>

/** What Amazon SNS posts to a subscriber. */
export const SnsEnvelope = z.object({
  Type: z.enum(
    ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'],
    'takes Notification, SubscriptionConfirmation or UnsubscribeConfirmation',
  ),
  TopicArn: z.string(),
  Message: z.string(),
})
export type SnsEnvelope = z.output<typeof SnsEnvelope>
