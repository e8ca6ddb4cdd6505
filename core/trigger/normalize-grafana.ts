import type { NormalizedAlert } from './alert.ts'
import type { GrafanaAlert } from './grafana-schema.ts'
import { normalizeAlertmanager } from './normalize-alertmanager.ts'
import { webLinks } from './normalize-fields.ts'

/** One alert of a Grafana group. What its queries answered stands among the annotations, as `values.<reference>`. */
export function normalizeGrafana(
  alert: GrafanaAlert,
  context: { raw_digest: string; external_url?: string | undefined; sha256: (text: string) => string },
): NormalizedAlert {
  const { annotations } = alert
  const values = Object.entries(alert.values ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [[`values.${name}`, String(value)] as const],
  )
  const normalized = normalizeAlertmanager(
    { ...alert, annotations: { ...Object.fromEntries(values), ...annotations } },
    { ...context, source: 'grafana' },
  )
  const links = webLinks([
    { title: 'Panel', url: alert.panelURL },
    { title: 'Dashboard', url: alert.dashboardURL },
    { title: 'Silence', url: alert.silenceURL },
  ])
  return { ...normalized, links: [...normalized.links, ...links] }
}
