import type { NormalizedAlert } from './alert.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { GenericAlert } from './generic-alert-schema.ts'
import { firstText, label, serviceOf, timeOf, webLinks } from './normalize-fields.ts'
import { severityOf } from './severity.ts'

/** An alert in the generic shape. `raw_digest` is the digest of the alert as it stood in the payload. */
export function normalizeGeneric(
  alert: GenericAlert,
  context: { raw_digest: string; sha256: (text: string) => string },
): NormalizedAlert {
  const { labels, annotations } = alert
  const source = firstText(alert.source) ?? 'generic'
  const service = firstText(alert.service) ?? serviceOf(labels)
  const symptom = firstText(alert.symptom) ?? 'unnamed'
  const description = firstText(alert.description)
  const external_id = firstText(alert.external_id)
  const starts_at = timeOf(alert.starts_at)
  const ends_at = timeOf(alert.ends_at)
  return {
    source,
    service,
    symptom,
    status: alert.status,
    severity: severityOf(firstText(alert.severity, label(labels, 'severity'))),
    fingerprint: fingerprintOf({ source, service, symptom }, context.sha256),
    ...(external_id !== undefined && { external_id }),
    title: firstText(alert.title, description) ?? symptom,
    ...(description !== undefined && { description }),
    labels,
    annotations,
    ...(starts_at !== undefined && { starts_at }),
    ...(ends_at !== undefined && { ends_at }),
    links: webLinks(alert.links.map(({ title, url }) => ({ title: firstText(title) ?? 'Link', url }))),
    get raw_digest() {
      return context.raw_digest
    },
  }
}
