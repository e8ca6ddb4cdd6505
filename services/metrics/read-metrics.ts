import type { Metrics } from '#platform/metrics.ts'
import type { MetricViews } from '#store/metric-views.ts'
import { type LanePorts, laneSlots } from '../health/lane-report.ts'

export interface MetricPorts extends Pick<LanePorts, 'health' | 'limits'> {
  metrics: Metrics
  views: MetricViews
}

export interface MetricText {
  body: string
  content_type: string
}

/** Answers scrapes; those that come at the same time share one reading of the database, so that nothing is counted twice. */
export function createMetricReader({ metrics, views, health, limits }: MetricPorts): () => Promise<MetricText> {
  let since: string | undefined
  let reading: Promise<MetricText> | undefined

  async function read(): Promise<MetricText> {
    const [gauges, lane_slots, changes] = await Promise.all([
      views.gauges(),
      laneSlots({ health, limits }),
      views.changes(since),
    ])
    since = changes.until
    metrics.read({ ...gauges, lane_slots })
    metrics.happened(changes)
    return await metrics.text()
  }

  return () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}
