import { z } from 'zod'

const Labels = z.record(z.string(), z.string()).default({})

/** One alert of a group, as Alertmanager's webhook sends it. */
const AlertmanagerAlert = z.object({
  status: z.enum(['firing', 'resolved'], 'takes firing or resolved'),
  labels: Labels,
  annotations: Labels,
  startsAt: z.string().optional(),
  endsAt: z.string().optional(),
  generatorURL: z.string().optional(),
  fingerprint: z.string().optional(),
})
export type AlertmanagerAlert = z.output<typeof AlertmanagerAlert>

/** Webhook payload of Alertmanager, version 4; what it has beyond this is not looked at. */
export const AlertmanagerPayload = z.object({
  version: z.literal('4', 'takes "4"'),
  groupKey: z.string().optional(),
  externalURL: z.string().optional(),
  truncatedAlerts: z.int().min(0).optional(),
  alerts: z.array(AlertmanagerAlert),
})
