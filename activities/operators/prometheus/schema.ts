import { z } from 'zod'
import { ConnectionId, Duration } from '../field-schema.ts'

const Time = z.iso.datetime({ offset: true })

/** What `prometheus.query` takes. */
export const PrometheusQueryInput = z
  .strictObject({
    connection: ConnectionId,
    query: z.string().trim().min(1).max(4_000).describe('PromQL'),
    at: Time.exactOptional().describe('Moment of an instant query, RFC 3339; default: now, by the clock of the server'),
    range: z
      .strictObject({ start: Time, end: Time, step: Duration.describe('Time between two samples of a series') })
      .refine(({ start, end }) => Date.parse(start) <= Date.parse(end), { path: ['end'], error: 'is before the start' })
      .exactOptional()
      .describe('A range query, in place of an instant one'),
    by: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'the name of a label')
      .exactOptional()
      .describe('A label that tells the series apart: `values` has the last value of each by it'),
    max_series: z.int().min(1).max(1_000).default(100),
    max_samples: z.int().min(1).max(20_000).default(5_000).describe('Of all series together'),
    timeout: Duration.exactOptional().describe('Time that the server may take; default 30s'),
  })
  .refine(({ at, range }) => at === undefined || range === undefined, {
    path: ['at'],
    error: 'at or range, not both',
  })
export type PrometheusQueryInput = z.infer<typeof PrometheusQueryInput>
