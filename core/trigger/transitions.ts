import type { Suppressed } from './alert.ts'

export type Transition = 'firing' | 'resolved' | 'no_change'

/** Meanings of a tool's words for transitions. */
type Words = Record<string, Transition>

/** The words that a group in the shape of Alertmanager has for a member's `status`. */
const GROUP = { firing: 'firing', resolved: 'resolved' } as const satisfies Words

/** Every transition that each tool publishes, in lower case. A word that is missing here is unknown: it starts and ends nothing. */
export const TRANSITIONS = {
  // https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
  alertmanager: GROUP,
  // https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
  grafana: GROUP,
  // https://docs.datadoghq.com/integrations/webhooks/ ($ALERT_TRANSITION); "Test notifications" puts `test` before a
  // title
  datadog: {
    triggered: 'firing',
    're-triggered': 'firing',
    warn: 'firing',
    're-warn': 'firing',
    'no data': 'firing',
    're-no data': 'firing',
    renotify: 'firing',
    recovered: 'resolved',
    null: 'no_change',
    test: 'no_change',
  },
  // https://developer.pagerduty.com/docs/webhooks-overview#event-types
  pagerduty: {
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
  },
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-actions.html (NewStateValue)
  cloudwatch: { alarm: 'firing', ok: 'resolved', insufficient_data: 'no_change' },
  generic: GROUP,
} as const satisfies Record<string, Words>

/** Returns the meaning of a word; undefined for one that the tool does not publish. */
export function transitionOf(tool: keyof typeof TRANSITIONS, word: string): Transition | undefined {
  const words: Words = TRANSITIONS[tool]
  const known = word.trim().toLowerCase()
  return Object.hasOwn(words, known) ? words[known] : undefined
}

const MAX_WORD_CHARS = 100

/** Returns the outcome of an alert whose transition the tool does not publish. */
export function unknownTransition(
  tool: { name: string; title: string },
  word: string,
  fingerprint: string,
): Suppressed {
  const shown = Array.from(word.trim()).slice(0, MAX_WORD_CHARS).join('')
  const detail =
    shown === ''
      ? `${tool.title} named no transition, so nothing was started or ended`
      : `${tool.title} sent the transition "${shown}", which is not known, so nothing was started or ended`
  return { suppressed: true, fingerprint, detail, unknown: { source: tool.name, word: shown.toLowerCase() } }
}
