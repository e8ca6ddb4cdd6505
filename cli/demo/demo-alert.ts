/** How often the demo's alert is delivered. */
export const DUPLICATES = 5

/** What Alertmanager posts: one group whose alert was delivered several times over. */
export function demoAlert(url: string, now: string): object {
  const service = `demo-${new URL(url).port}`
  const labels = { alertname: 'ServiceUnhealthy', service, severity: 'critical', url }
  const alert = {
    status: 'firing',
    labels,
    annotations: { summary: `${service} answers 503` },
    startsAt: now,
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: `${url}/health`,
    fingerprint: 'demo',
  }
  return {
    version: '4',
    groupKey: `{}:{alertname="ServiceUnhealthy",service="${service}"}`,
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'svc',
    groupLabels: labels,
    commonLabels: labels,
    commonAnnotations: alert.annotations,
    externalURL: 'http://alertmanager.example.test',
    alerts: Array.from({ length: DUPLICATES }, () => alert),
  }
}
