import { z } from 'zod'
import { isObject } from '../../json/json.ts'
import type { NormalizedAlert, Suppressed } from '../alert.ts'
import { groupEntries, normalizeGroup } from '../alert-group.ts'
import type { AlertSource } from '../alert-source.ts'
import { webLinks } from '../normalize-fields.ts'
import { parseAlert } from '../parse-alert.ts'
import { GroupMember, SenderText, SenderTexts } from '../sender-schema.ts'
import { STATUS_WORDS } from '../transitions.ts'

/** One alert of a group, from a Grafana contact point of type webhook. */
const Member = GroupMember.extend({
  silenceURL: SenderText,
  dashboardURL: SenderText,
  panelURL: SenderText,
  /** results of the rule's queries, by their reference */
  values: SenderTexts,
})
type Member = z.output<typeof Member>

/** Webhook payload of Grafana Alerting; other members are ignored. */
const Payload = z.object({
  orgId: z.int(),
  externalURL: SenderText,
  truncatedAlerts: z.int().min(0).nullish(),
  alerts: z.array(Member),
})

/** https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/ */
const TOOL = { name: 'grafana', title: 'Grafana', transitions: STATUS_WORDS }

const EXAMPLE = {
  orgId: 1,
  externalURL: 'https://grafana.example/',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'HighErrorRate', service: 'checkout', severity: 'critical' },
      annotations: { summary: 'More than 5 % of the requests fail' },
      startsAt: '2026-01-01T12:00:00Z',
      values: { B: 0.07 },
    },
  ],
}

export const grafana: AlertSource = {
  ...TOOL,
  recognised_by: '`orgId` with `alerts`',
  example: EXAMPLE,
  ids_are_labels: true,
  fits: (body) => isObject(body) && typeof body['orgId'] === 'number' && Array.isArray(body['alerts']),
  entries: groupEntries,
  normalize: (body, sha256) =>
    normalizeGroup(body, parseAlert(Payload, body), { ...TOOL, refine: withAnswers }, sha256),
}

/** Adds the results of a rule's queries to the annotations, as `values.<reference>`. */
function withAnswers(
  alert: Member,
  normalize: (alert: Member) => NormalizedAlert | Suppressed,
): NormalizedAlert | Suppressed {
  const { values } = alert
  const answers = Object.entries(values)
  const named = Object.fromEntries(answers.map(([name, value]) => [`values.${name}`, value]))
  const normalized = normalize({ ...alert, annotations: { ...named, ...alert.annotations } })
  if ('suppressed' in normalized) return normalized
  const links = webLinks([
    { title: 'Panel', url: alert.panelURL },
    { title: 'Dashboard', url: alert.dashboardURL },
    { title: 'Silence', url: alert.silenceURL },
  ])
  // assigned, since a copy of all members would compute the digest
  return Object.assign(normalized, {
    ...(answers.length > 0 && { values }),
    links: [...normalized.links, ...links],
  })
}
