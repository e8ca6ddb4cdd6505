import { isObject } from '../json/json.ts'
import type { NormalizedAlert, Suppressed } from './alert.ts'
import {
  type AlertContext,
  type AlertSource,
  alertContext,
  type NormalizedPayload,
  type Sha256,
} from './alert-source.ts'
import { fingerprintOf } from './fingerprint.ts'
import { firstText, label, serviceOf, timeOf, webLinks } from './normalize-fields.ts'
import { severityOf } from './parse-alert.ts'
import type { GroupMember } from './sender-schema.ts'
import { transitionOf, unknownTransition } from './transitions.ts'

/** A tool that sends such groups. */
type GroupingTool = Pick<AlertSource, 'name' | 'title' | 'transitions'>

/** `refine` adds members beyond the shape of Alertmanager. */
interface RefiningTool<Member> extends GroupingTool {
  refine?: (
    member: Member,
    normalize: (member: GroupMember) => NormalizedAlert | Suppressed,
  ) => NormalizedAlert | Suppressed
}

interface GroupContext extends AlertContext {
  external_url: string | undefined
}

interface Group<Member> {
  externalURL?: string | undefined
  truncatedAlerts?: number | null | undefined
  alerts: Member[]
}

/** Returns the members of a group, as the payload has them. */
export function groupEntries(body: unknown): readonly unknown[] {
  return isObject(body) && Array.isArray(body['alerts']) ? body['alerts'] : []
}

/** Every alert of a group. */
export function normalizeGroup<Member extends GroupMember>(
  body: unknown,
  { alerts, externalURL, truncatedAlerts }: Group<Member>,
  tool: RefiningTool<Member>,
  sha256: Sha256,
): NormalizedPayload {
  const { refine = (member, normalize) => normalize(member) } = tool
  const raw = groupEntries(body)
  const found = alerts.map((alert, index) => {
    const context = Object.assign(alertContext(raw[index], sha256), { external_url: externalURL })
    return refine(alert, (member) => normalizeMember(member, tool, context))
  })
  return { found, truncated: truncatedAlerts ?? undefined }
}

function normalizeMember(alert: GroupMember, tool: GroupingTool, context: GroupContext): NormalizedAlert | Suppressed {
  const { labels, annotations } = alert
  const source = tool.name
  const service = serviceOf(labels)
  const symptom = firstText(label(labels, 'alertname')) ?? 'unnamed'
  const fingerprint = fingerprintOf({ source, service, symptom }, context.sha256)
  const status = transitionOf(tool.transitions, alert.status)
  if (status === undefined || status === 'no_change') return unknownTransition(tool, alert.status, fingerprint)
  const description = firstText(label(annotations, 'description'), label(annotations, 'message'))
  const external_id = firstText(alert.fingerprint)
  const starts_at = timeOf(alert.startsAt)
  const ends_at = timeOf(alert.endsAt)
  const [generator] = webLinks([{ title: 'Expression', url: alert.generatorURL }])
  return {
    source,
    service,
    symptom,
    status,
    severity: severityOf(label(labels, 'severity')),
    fingerprint,
    ...(external_id !== undefined && { external_id }),
    title: firstText(label(annotations, 'summary'), label(annotations, 'title'), description) ?? symptom,
    ...(description !== undefined && { description }),
    labels,
    annotations,
    ...(starts_at !== undefined && { starts_at }),
    ...(ends_at !== undefined && { ends_at }),
    links: [
      ...(generator === undefined ? [] : [generator]),
      ...webLinks([
        { title: 'Runbook', url: label(annotations, 'runbook_url') },
        { title: 'Dashboard', url: label(annotations, 'dashboard_url') },
        { title: tool.title, url: context.external_url },
      ]),
    ],
    ...(generator !== undefined && { generator_url: generator.url }),
    get raw_digest() {
      return context.raw_digest
    },
  }
}
