/** One statement of a tool about one alert: `at` is in minutes. */
export interface EpisodeEvent {
  alert: 'a' | 'b'
  status: 'firing' | 'resolved'
  /** when the episode began of which it speaks */
  began: number
  at: number
}

const iso = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString()

function group(service: string, { alert, status, began, at }: EpisodeEvent) {
  return [
    {
      status,
      labels: { alertname: 'Down', service, instance: alert },
      annotations: {},
      startsAt: iso(began),
      endsAt: status === 'resolved' ? iso(at) : '0001-01-01T00:00:00Z',
      fingerprint: `${service}-${alert}`,
    },
  ]
}

/** What each tool posts of it, in its published shape. */
export const POSTED: Record<string, (service: string, event: EpisodeEvent) => unknown> = {
  alertmanager: (service, event) => ({ version: '4', groupKey: '{}', alerts: group(service, event) }),
  grafana: (service, event) => ({ orgId: 1, alerts: group(service, event) }),
  datadog: (service, { alert, status, at }) => ({
    title: `[P2] [${status === 'firing' ? 'Triggered' : 'Recovered'} on {service:${service},host:${alert}}] Down`,
    body: '',
    transition: status === 'firing' ? 'Triggered' : 'Recovered',
    alert_id: '1234',
    aggreg_key: `${service}-${alert}`,
    tags: `service:${service}`,
    date: String(Date.parse(iso(at))),
  }),
  // renamed at each statement
  pagerduty: (service, { alert, status, began, at }) => ({
    event: {
      event_type:
        status === 'resolved' ? 'incident.resolved' : began === at ? 'incident.reopened' : 'incident.escalated',
      resource_type: 'incident',
      occurred_at: iso(at),
      data: { id: `${service}-${alert}`, title: 'Down', created_at: iso(0), service: { summary: service } },
    },
  }),
  cloudwatch: (service, { alert, status, at }) => ({
    AlarmName: 'Down',
    AlarmArn: `arn:aws:cloudwatch:us-east-1:1:alarm:${service}-${alert}`,
    NewStateValue: status === 'firing' ? 'ALARM' : 'OK',
    StateChangeTime: iso(at).replace('Z', '+0000'),
    Trigger: { Namespace: 'Shop', Dimensions: [{ name: 'Service', value: service }] },
  }),
}
