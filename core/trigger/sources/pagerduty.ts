import { z } from 'zod'
import { isObject } from '../../json/json.ts'
import { cutText } from '../../text/text.ts'
import type { NormalizedAlert, Suppressed } from '../alert.ts'
import { type AlertContext, type AlertSource, alertContext } from '../alert-source.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { firstText, timeOf, webLinks } from '../normalize-fields.ts'
import { parseAlert, severityOf } from '../parse-alert.ts'
import { SenderText } from '../sender-schema.ts'
import { type TransitionWords, transitionOf, unknownTransition } from '../transitions.ts'

const Reference = z.object({ summary: SenderText }).nullish()

const Incident = z.object({
  id: SenderText,
  title: SenderText,
  html_url: SenderText,
  incident_key: SenderText,
  urgency: SenderText,
  created_at: SenderText,
  service: Reference,
  priority: Reference,
})

/** One event of a PagerDuty V3 webhook subscription; events of other resources than incidents have other data. */
const Payload = z.object({
  event: z.object({
    event_type: z.string(),
    resource_type: SenderText,
    occurred_at: SenderText,
    data: Incident.nullish().transform((data): Partial<z.output<typeof Incident>> => data ?? {}),
  }),
})
type PagerdutyEvent = z.output<typeof Payload>['event']

const SOURCE = 'pagerduty'
const TITLE = 'PagerDuty'

/** https://developer.pagerduty.com/docs/webhooks-overview#event-types */
const TRANSITIONS: TransitionWords = {
  'incident.triggered': 'firing',
  'incident.reopened': 'firing',
  'incident.escalated': 'firing',
  'incident.resolved': 'resolved',
  'incident.acknowledged': 'no_change',
  'incident.action_invocation.created': 'no_change',
  'incident.action_invocation.terminated': 'no_change',
  'incident.action_invocation.updated': 'no_change',
  'incident.annotated': 'no_change',
  'incident.conference_bridge.updated': 'no_change',
  'incident.custom_field_values.updated': 'no_change',
  'incident.delegated': 'no_change',
  'incident.incident_type.changed': 'no_change',
  'incident.priority_updated': 'no_change',
  'incident.reassigned': 'no_change',
  'incident.responder.added': 'no_change',
  'incident.responder.replied': 'no_change',
  'incident.role.assigned': 'no_change',
  'incident.service_updated': 'no_change',
  'incident.status_update_published': 'no_change',
  'incident.task.created': 'no_change',
  'incident.task.deleted': 'no_change',
  'incident.task.updated': 'no_change',
  'incident.title_updated': 'no_change',
  'incident.unacknowledged': 'no_change',
  'incident.urgency_updated': 'no_change',
  'incident.workflow.completed': 'no_change',
  'incident.workflow.started': 'no_change',
  'pagey.ping': 'no_change',
  'service.created': 'no_change',
  'service.custom_field_values.updated': 'no_change',
  'service.deleted': 'no_change',
  'service.updated': 'no_change',
}

const EXAMPLE = {
  event: {
    event_type: 'incident.triggered',
    resource_type: 'incident',
    occurred_at: '2026-01-01T12:00:00Z',
    data: {
      id: 'PGR0VU2',
      title: 'HighErrorRate',
      urgency: 'high',
      service: { summary: 'checkout' },
      priority: { summary: 'P1' },
    },
  },
}

export const pagerduty: AlertSource = {
  name: SOURCE,
  title: TITLE,
  recognised_by: 'V3: `event` with `event_type`',
  example: EXAMPLE,
  transitions: TRANSITIONS,
  dates_events: true,
  fits: (body) => isObject(body) && isObject(body['event']) && typeof body['event']['event_type'] === 'string',
  entries: (body) => [body],
  normalize: (body, sha256) => ({
    found: [normalizePagerduty(parseAlert(Payload, body).event, alertContext(body, sha256))],
  }),
}

/** An event of PagerDuty: what opens or ends an incident; everything else it tells is suppressed. */
function normalizePagerduty(
  { event_type, occurred_at, data }: PagerdutyEvent,
  context: AlertContext,
): NormalizedAlert | Suppressed {
  const service = firstText(data.service?.summary) ?? 'unknown'
  const status = transitionOf(TRANSITIONS, event_type)
  const acts = status === 'firing' || status === 'resolved'
  const symptom = firstText(data.title) ?? (acts ? 'unnamed' : event_type)
  const fingerprint = fingerprintOf({ source: SOURCE, service, symptom }, context.sha256)
  if (status === undefined) return unknownTransition({ name: SOURCE, title: TITLE }, event_type, fingerprint)
  if (status === 'no_change') {
    return { suppressed: true, fingerprint, detail: `${cutText(event_type, 100)} neither opens nor ends an incident` }
  }
  const external_id = firstText(data.id, data.incident_key ?? undefined)
  const at = timeOf(occurred_at)
  // an incident that is reopened keeps the time at which it was created
  const starts_at =
    event_type === 'incident.reopened'
      ? at
      : (timeOf(data.created_at ?? undefined) ?? (status === 'firing' ? at : undefined))
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
    ...(at !== undefined && (status === 'firing' ? { as_of: at } : { ends_at: at })),
    links: webLinks([{ title: 'Incident', url: data.html_url ?? undefined }]),
    get raw_digest() {
      return context.raw_digest
    },
  }
}
