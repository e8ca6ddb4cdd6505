import type { NormalizedAlert } from './alert.ts'
import type { AlertmanagerAlert } from './alertmanager-schema.ts'
import { fingerprintOf } from './fingerprint.ts'
import { firstText, label, serviceOf, timeOf, webLinks } from './normalize-fields.ts'
import { severityOf } from './severity.ts'

/** Tools that send groups in the shape of Alertmanager, and what they call themselves. */
const SENDER = { alertmanager: 'Alertmanager', grafana: 'Grafana' }

/** One alert of an Alertmanager group. `raw_digest` is the digest of the alert as it stood in the payload. */
export function normalizeAlertmanager(
  alert: AlertmanagerAlert,
  context: {
    raw_digest: string
    external_url?: string | undefined
    sha256: (text: string) => string
    source?: keyof typeof SENDER
  },
): NormalizedAlert {
  const { labels, annotations } = alert
  const { source = 'alertmanager' } = context
  const service = serviceOf(labels)
  const symptom = firstText(label(labels, 'alertname')) ?? 'unnamed'
  const description = firstText(label(annotations, 'description'), label(annotations, 'message'))
  const external_id = firstText(alert.fingerprint)
  const starts_at = timeOf(alert.startsAt)
  const ends_at = timeOf(alert.endsAt)
  return {
    source,
    service,
    symptom,
    status: alert.status,
    severity: severityOf(label(labels, 'severity')),
    fingerprint: fingerprintOf({ source, service, symptom }, context.sha256),
    ...(external_id !== undefined && { external_id }),
    title: firstText(label(annotations, 'summary'), label(annotations, 'title'), description) ?? symptom,
    ...(description !== undefined && { description }),
    labels,
    annotations,
    ...(starts_at !== undefined && { starts_at }),
    ...(ends_at !== undefined && { ends_at }),
    links: webLinks([
      { title: 'Expression', url: alert.generatorURL },
      { title: 'Runbook', url: label(annotations, 'runbook_url') },
      { title: 'Dashboard', url: label(annotations, 'dashboard_url') },
      { title: SENDER[source], url: context.external_url },
    ]),
    get raw_digest() {
      return context.raw_digest
    },
  }
}
