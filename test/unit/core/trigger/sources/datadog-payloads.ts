/** https://docs.datadoghq.com/integrations/webhooks/ : what is sent without a payload of one's own */
export const DATADOG_DEFAULT = {
  id: '6841205830115286433',
  title: '[Triggered on {host:ip-012345,service:checkout}] [P2] Host is Down',
  last_updated: '1406662672000',
  event_type: 'metric_alert_monitor',
  body: '%%%\nsystem.load.1 over host:my-host was > 0 at least once during the last 1m\n%%%',
  date: '1406662672000',
  org: { id: '11023', name: 'example' },
}

/** The keys of our template, with the values that the same page gives as examples of the variables. */
export const DATADOG_TEMPLATE = {
  alert_id: '1234',
  title: '[Triggered on {host:ip-012345}] Host is Down',
  transition: 'Triggered',
  priority: 'P1',
  tags: 'monitor, service:myService, role:computing-node',
  cycle_key: '1739471903',
  aggreg_key: '9bd4ac313a4d1e8fae2482df7b77628',
  link: 'https://app.datadoghq.com/monitors/1234',
  body: '@webhook-url Sending to the webhook',
}
