/** https://developer.pagerduty.com/docs/webhooks-overview */
export const PAGERDUTY = {
  event: {
    id: '5ac64822-4adc-4fda-ade0-410becf0de4f',
    event_type: 'incident.triggered',
    resource_type: 'incident',
    occurred_at: '2020-10-02T18:45:22.169Z',
    agent: {
      html_url: 'https://acme.pagerduty.com/users/PLH1HKV',
      id: 'PLH1HKV',
      self: 'https://api.pagerduty.com/users/PLH1HKV',
      summary: 'Tenex Engineer',
      type: 'user_reference',
    },
    client: { name: 'PagerDuty' },
    data: {
      id: 'PGR0VU2',
      type: 'incident',
      self: 'https://api.pagerduty.com/incidents/PGR0VU2',
      html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
      number: 2,
      status: 'triggered',
      incident_key: 'd3640fbd41094207a1c11e58e46b1662',
      created_at: '2020-04-09T15:16:27Z',
      title: 'A little bump in the road',
      service: {
        html_url: 'https://acme.pagerduty.com/services/PF9KMXH',
        id: 'PF9KMXH',
        self: 'https://api.pagerduty.com/services/PF9KMXH',
        summary: 'API Service',
        type: 'service_reference',
      },
      assignees: [],
      escalation_policy: { id: 'PUS0KTE', summary: 'Default', type: 'escalation_policy_reference' },
      teams: [],
      priority: { id: 'PSO75BM', summary: 'P1', type: 'priority_reference' },
      urgency: 'high',
      conference_bridge: null,
      resolve_reason: null,
    },
  },
}

/** What the button "Send Test Event" sends. */
export const PAGERDUTY_PING = {
  event: {
    id: '01FKZOXA868SHYEE4DVNWB5P9W',
    event_type: 'pagey.ping',
    resource_type: 'pagey',
    occurred_at: '2025-04-07T03:00:55.532Z',
    agent: { id: 'PVE0ZR9', type: 'user_reference' },
    client: null,
    data: { message: 'Hello from your friend Pagey!', type: 'ping' },
  },
}
