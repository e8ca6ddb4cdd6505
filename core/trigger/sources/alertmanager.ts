import { z } from 'zod'
import { isObject } from '../../json/json.ts'
import { groupEntries, normalizeGroup } from '../alert-group.ts'
import type { AlertSource } from '../alert-source.ts'
import { parseAlert } from '../parse-alert.ts'
import { GroupMember, SenderText } from '../sender-schema.ts'
import { STATUS_WORDS } from '../transitions.ts'

/** Webhook payload of Alertmanager, version 4; other members are ignored. */
const Payload = z.object({
  version: z.literal('4', 'takes "4"'),
  externalURL: SenderText,
  truncatedAlerts: z.int().min(0).nullish(),
  alerts: z.array(GroupMember),
})

/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
const TOOL = { name: 'alertmanager', title: 'Alertmanager', transitions: STATUS_WORDS }

const EXAMPLE = {
  version: '4',
  externalURL: 'https://alertmanager.example',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'HighErrorRate', service: 'checkout', severity: 'critical' },
      annotations: { summary: 'More than 5 % of the requests fail' },
      startsAt: '2026-01-01T12:00:00Z',
    },
  ],
}

export const alertmanager: AlertSource = {
  ...TOOL,
  recognised_by: '`version: "4"` with `alerts`',
  example: EXAMPLE,
  ids_are_labels: true,
  fits: (body) => isObject(body) && body['version'] === '4' && Array.isArray(body['alerts']),
  entries: groupEntries,
  normalize: (body, sha256) => normalizeGroup(body, parseAlert(Payload, body), TOOL, sha256),
}
