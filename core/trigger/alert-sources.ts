import type { AlertSource } from './alert-source.ts'
import { alertmanager } from './sources/alertmanager.ts'
import { cloudwatch } from './sources/cloudwatch.ts'
import { datadog } from './sources/datadog.ts'
import { generic } from './sources/generic.ts'
import { grafana } from './sources/grafana.ts'
import { pagerduty } from './sources/pagerduty.ts'

/** Every supported alerting tool; the first matching source reads a payload. A new one is a file in `sources` and a line here. */
// biome-ignore format: one a line, so that a new one is one line
export const ALERT_SOURCES: readonly AlertSource[] = [
  grafana,
  alertmanager,
  pagerduty,
  cloudwatch,
  datadog,
  generic,
]
