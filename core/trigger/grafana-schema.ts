import { z } from 'zod'

const Labels = z.record(z.string(), z.string()).default({})

/** One alert of a group, as a Grafana contact point of type webhook sends it. */
const GrafanaAlert = z.object({
  status: z.enum(['firing', 'resolved'], 'takes firing or resolved'),
  labels: Labels,
  annotations: Labels,
  startsAt: z.string().optional(),
  endsAt: z.string().optional(),
  generatorURL: z.string().optional(),
  fingerprint: z.string().optional(),
  silenceURL: z.string().optional(),
  dashboardURL: z.string().optional(),
  panelURL: z.string().optional(),
  /** what the queries of the rule answered, by their reference */
  values: z.record(z.string(), z.number().nullable()).nullish(),
})
export type GrafanaAlert = z.output<typeof GrafanaAlert>

/** Webhook payload of Grafana Alerting; what it has beyond this is not looked at. */
export const GrafanaPayload = z.object({
  orgId: z.int(),
  externalURL: z.string().optional(),
  truncatedAlerts: z.int().min(0).optional(),
  alerts: z.array(GrafanaAlert),
})
