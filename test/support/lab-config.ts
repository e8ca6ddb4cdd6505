import { stringify } from 'yaml'

export interface LabConfig {
  /** of the demo service, which is also the name of its alerts' service */
  demo_url: string
  service: string
  severity: string
  alertmanager_url: string
  /** where alerts are posted */
  receiver_url: string
  token: string | undefined
}

/** The files of the lab: name to YAML. Everything is quick, so that a person sees what happens. */
export function labFiles(config: LabConfig): Record<string, string> {
  return {
    'prometheus.yml': stringify(prometheus(config)),
    'rules.yml': stringify(rules(config)),
    'alertmanager.yml': stringify(alertmanager(config)),
  }
}

const prometheus = ({ demo_url, alertmanager_url, service }: LabConfig) => ({
  global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
  rule_files: ['rules.yml'],
  alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager_url).host] }] }] },
  scrape_configs: [{ job_name: 'demo', static_configs: [{ targets: [new URL(demo_url).host], labels: { service } }] }],
})

const rules = ({ severity }: LabConfig) => ({
  groups: [
    {
      name: 'demo',
      rules: [
        {
          alert: 'ServiceUnhealthy',
          expr: 'demo_up == 0',
          for: '2s',
          // the label `service` comes from the scrape
          labels: { severity },
          annotations: {
            summary: '{{ $labels.service }} says that it is ill',
            url: 'http://{{ $labels.instance }}',
          },
        },
      ],
    },
  ],
})

const alertmanager = ({ receiver_url, token }: LabConfig) => ({
  route: {
    receiver: 'svc',
    group_by: ['alertname', 'service'],
    group_wait: '1s',
    group_interval: '1s',
    // hours in real life; here it posts duplicates for everybody to see
    repeat_interval: '2s',
  },
  receivers: [
    {
      name: 'svc',
      webhook_configs: [
        {
          url: receiver_url,
          send_resolved: true,
          ...(token !== undefined && { http_config: { authorization: { type: 'Bearer', credentials: token } } }),
        },
      ],
    },
  ],
})
