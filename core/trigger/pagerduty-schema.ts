import { z } from 'zod'

const Reference = z.object({ summary: z.string().optional() }).nullish()

/** One event of a PagerDuty V3 webhook subscription; events of other resources than incidents have other data. */
export const PagerdutyPayload = z.object({
  event: z.object({
    event_type: z.string(),
    resource_type: z.string().optional(),
    occurred_at: z.string().optional(),
    data: z
      .object({
        id: z.string().optional(),
        title: z.string().optional(),
        html_url: z.string().nullish(),
        incident_key: z.string().nullish(),
        urgency: z.string().nullish(),
        created_at: z.string().nullish(),
        service: Reference,
        priority: Reference,
      })
      .default({}),
  }),
})
export type PagerdutyEvent = z.output<typeof PagerdutyPayload>['event']
