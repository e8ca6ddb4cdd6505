import type { NormalizedAlert, Suppressed } from './alert.ts'
import { fingerprintOf } from './fingerprint.ts'
import { firstText, timeOf, webLinks } from './normalize-fields.ts'
import type { PagerdutyEvent } from './pagerduty-schema.ts'
import { severityOf } from './severity.ts'

const SOURCE = 'pagerduty'
const STATUS_OF: ReadonlyMap<string, NormalizedAlert['status']> = new Map([
  ['incident.triggered', 'firing'],
  ['incident.reopened', 'firing'],
  ['incident.escalated', 'firing'],
  ['incident.resolved', 'resolved'],
])

/** An event of PagerDuty: what opens or ends an incident; everything else it tells is suppressed. */
export function normalizePagerduty(
  { event_type, occurred_at, data }: PagerdutyEvent,
  context: { raw_digest: string; sha256: (text: string) => string },
): NormalizedAlert | Suppressed {
  const service = firstText(data.service?.summary) ?? 'unknown'
  const status = STATUS_OF.get(event_type)
  const symptom = firstText(data.title) ?? (status === undefined ? event_type : 'unnamed')
  const fingerprint = fingerprintOf({ source: SOURCE, service, symptom }, context.sha256)
  if (status === undefined) {
    return { suppressed: true, fingerprint, detail: `${event_type.slice(0, 100)} neither opens nor ends an incident` }
  }
  const external_id = firstText(data.id, data.incident_key ?? undefined)
  const starts_at = timeOf(data.created_at ?? (status === 'firing' ? occurred_at : undefined))
  const ends_at = status === 'resolved' ? timeOf(occurred_at) : undefined
  return {
    source: SOURCE,
    service,
    symptom,
    status,
    severity: severityOf(firstText(data.priority?.summary, data.urgency ?? undefined)),
    fingerprint,
    ...(external_id !== undefined && { external_id }),
    title: symptom,
    labels: {},
    annotations: {},
    ...(starts_at !== undefined && { starts_at }),
    ...(ends_at !== undefined && { ends_at }),
    links: webLinks([{ title: 'Incident', url: data.html_url ?? undefined }]),
    get raw_digest() {
      return context.raw_digest
    },
  }
}
