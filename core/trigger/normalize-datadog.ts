import { isoTime } from '../time.ts'
import type { NormalizedAlert } from './alert.ts'
import type { DatadogPayload } from './datadog-schema.ts'
import { fingerprintOf } from './fingerprint.ts'
import { firstText, serviceOf, webLinks } from './normalize-fields.ts'
import { severityOf } from './severity.ts'

const SOURCE = 'datadog'

/**
 * A notification of a Datadog monitor. Without our template its title is all there is to read: `[Triggered on {service:web}] [P1] Name`.
 */
export function normalizeDatadog(
  payload: DatadogPayload,
  context: { raw_digest: string; sha256: (text: string) => string },
): NormalizedAlert {
  const { brackets, name } = titleParts(payload.title ?? '')
  const labels = tagsOf(payload.tags ?? scopeOf(brackets[0] ?? ''))
  const service = serviceOf(labels)
  const symptom = firstText(name) ?? 'unnamed'
  const transition = (payload.transition ?? brackets[0] ?? '').toLowerCase()
  const status = transition.startsWith('recovered') ? 'resolved' : 'firing'
  const external_id = payload.cycle_key ?? payload.aggreg_key ?? payload.alert_id
  const at = timeOfMs(payload.date)
  return {
    source: SOURCE,
    service,
    symptom,
    status,
    severity: severityOf(payload.priority ?? brackets.find((text) => /^p[1-5]$/i.test(text))),
    fingerprint: fingerprintOf({ source: SOURCE, service, symptom }, context.sha256),
    ...(external_id !== undefined && { external_id }),
    title: payload.title ?? symptom,
    ...(payload.body !== undefined && { description: payload.body }),
    labels,
    annotations: {},
    ...(at !== undefined && (status === 'firing' ? { starts_at: at } : { ends_at: at })),
    links: webLinks([{ title: 'Datadog', url: payload.link }]),
    get raw_digest() {
      return context.raw_digest
    },
  }
}

const TRANSITION = /^(re-)?(triggered|recovered|no data|warn|renotify)\b/i

/** What stands in brackets before the name of a monitor, and the name; a name that is itself in brackets is the last of them. */
function titleParts(title: string): { brackets: string[]; name: string } {
  const brackets: string[] = []
  let rest = title.trim()
  while (rest.startsWith('[') && rest.includes(']')) {
    const end = rest.indexOf(']')
    brackets.push(rest.slice(1, end).trim())
    rest = rest.slice(end + 1).trimStart()
  }
  const last = brackets.at(-1) ?? ''
  if (rest !== '' || TRANSITION.test(last)) return { brackets, name: rest }
  return { brackets: brackets.slice(0, -1), name: last }
}

/** The tags in `Triggered on {service:web,host:a}`. */
function scopeOf(text: string): string {
  const from = text.indexOf('{')
  const to = text.indexOf('}', from)
  return from === -1 || to === -1 ? '' : text.slice(from + 1, to)
}

/** `role:db, monitor`: a tag without a value is a label with an empty one; of several values the first counts. */
function tagsOf(text: string): Record<string, string> {
  const tags = text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return Object.fromEntries(
    tags.reverse().map((tag) => {
      const at = tag.indexOf(':')
      return at === -1 ? [tag, ''] : [tag.slice(0, at).trim(), tag.slice(at + 1).trim()]
    }),
  )
}

const YEAR_10000_MS = 253_402_300_800_000

function timeOfMs(text: string | undefined): string | undefined {
  const ms = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return ms > 0 && ms < YEAR_10000_MS ? isoTime(ms) : undefined
}
