import { z } from '@hono/zod-openapi'

export const ALERT_SOURCES = ['alertmanager', 'grafana', 'datadog', 'pagerduty', 'cloudwatch', 'generic'] as const

export const AlertResults = z
  .object({
    results: z.array(
      z.object({
        fingerprint: z.string().meta({ example: 'alertmanager|checkout|HighErrorRate' }),
        outcome: z.enum([
          'started',
          'attached',
          'resolved',
          'throttled',
          'suppressed',
          'denied',
          'frozen',
          'unmatched',
        ]),
        run_id: z.string().optional(),
        attached_count: z.int().optional(),
        rule: z.string().optional(),
        detail: z.string().optional().meta({ description: 'Why no run was started' }),
      }),
    ),
    truncated: z.int().optional().meta({ description: 'Alerts that the sender says it has left out' }),
  })
  .meta({ id: 'AlertResults', description: 'What became of each alert, in the order received.' })
