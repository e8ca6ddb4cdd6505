import { z } from 'zod'
import { isObject } from '../../json/json.ts'
import type { NormalizedAlert } from '../alert.ts'
import { type AlertContext, type AlertSource, alertContext, hasText } from '../alert-source.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { firstText, label, serviceOf, timeOf, webLinks } from '../normalize-fields.ts'
import { parseAlert, severityOf } from '../parse-alert.ts'
import { SenderText, SenderTexts } from '../sender-schema.ts'
import { STATUS_WORDS } from '../transitions.ts'

/** An alert of a tool without a shape of its own here; other members are ignored. */
const GenericAlert = z.object({
  source: SenderText,
  service: SenderText,
  symptom: z.string(),
  status: z.enum(['firing', 'resolved'], 'takes firing or resolved').default('firing'),
  severity: SenderText,
  external_id: SenderText,
  title: SenderText,
  description: SenderText,
  labels: SenderTexts,
  annotations: SenderTexts,
  starts_at: SenderText,
  ends_at: SenderText,
  links: z
    .array(
      z.union(
        [
          z.string().transform((url): { title?: string; url: string } => ({ url })),
          z.object({ title: SenderText, url: z.string() }),
        ],
        'takes an address, or {title, url}',
      ),
    )
    .default([]),
})
type GenericAlert = z.output<typeof GenericAlert>

const EXAMPLE = {
  source: 'smoke-test',
  service: 'checkout',
  symptom: 'HighErrorRate',
  status: 'firing',
  severity: 'critical',
  title: 'More than 5 % of the requests fail',
}

export const generic: AlertSource = {
  name: 'generic',
  title: 'a generic shape',
  recognised_by: '`{source, service, symptom}`, one or a list',
  example: EXAMPLE,
  transitions: STATUS_WORDS,
  fits: (body) => listed(body).every((each) => isObject(each) && hasText(each, ['source', 'service', 'symptom'])),
  entries: listed,
  normalize: (body, sha256) => ({
    found: listed(body).map((raw, index) =>
      normalizeGeneric(parseAlert(GenericAlert, raw, Array.isArray(body) ? [index] : []), alertContext(raw, sha256)),
    ),
  }),
}

function listed(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body]
}

/** Normalises an alert of the generic shape. `raw_digest` is the digest of the alert in the payload. */
function normalizeGeneric(alert: GenericAlert, context: AlertContext): NormalizedAlert {
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
