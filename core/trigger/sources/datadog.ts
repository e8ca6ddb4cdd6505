import { z } from 'zod'
import { isObject } from '../../json/json.ts'
import { isoTime } from '../../time/time.ts'
import type { NormalizedAlert, Suppressed } from '../alert.ts'
import { type AlertContext, type AlertSource, alertContext, hasText } from '../alert-source.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { firstText, serviceOf, webLinks } from '../normalize-fields.ts'
import { parseAlert, severityOf } from '../parse-alert.ts'
import { SenderText } from '../sender-schema.ts'
import { type TransitionWords, transitionOf, unknownTransition } from '../transitions.ts'

/** Datadog keeps the name of a variable without a value. */
const UNSUBSTITUTED = /^\$[A-Z][A-Z0-9_]*(\[.*\])?$/

const Text = SenderText.transform((value) => {
  const text = value?.trim() ?? ''
  return text === '' || UNSUBSTITUTED.test(text) ? undefined : text
})

/** The payload of our template for the Datadog webhook, or Datadog's default; other members are ignored. */
const Payload = z.object({
  title: Text,
  body: Text,
  alert_id: Text,
  transition: Text,
  priority: Text,
  tags: Text,
  cycle_key: Text,
  aggreg_key: Text,
  link: Text,
  /** milliseconds since the epoch, in the default payload */
  date: Text,
})
type Payload = z.output<typeof Payload>

const SOURCE = 'datadog'
const TITLE = 'Datadog'

/** https://docs.datadoghq.com/integrations/webhooks/ ($ALERT_TRANSITION); `test` is what "Test notifications" puts before a title */
const TRANSITIONS: TransitionWords = {
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
}

const EXAMPLE = {
  title: '[Triggered on {service:checkout}] [P1] HighErrorRate',
  body: 'More than 5 % of the requests fail',
  transition: 'Triggered',
  alert_id: '1234',
  priority: 'P1',
  tags: 'service:checkout',
  date: '1767268800000',
}

export const datadog: AlertSource = {
  name: SOURCE,
  title: TITLE,
  recognised_by: 'its default payload, or `transition` with `alert_id`, `cycle_key` or `aggreg_key`',
  example: EXAMPLE,
  transitions: TRANSITIONS,
  dates_events: true,
  fits: (body) =>
    isObject(body) &&
    (hasText(body, ['transition', 'title'])
      ? ['alert_id', 'cycle_key', 'aggreg_key'].some((key) => Object.hasOwn(body, key))
      : hasText(body, ['event_type', 'title', 'body']) && Object.hasOwn(body, 'org')),
  entries: (body) => [body],
  normalize: (body, sha256) => ({
    found: [normalizeDatadog(parseAlert(Payload, body), alertContext(body, sha256))],
  }),
}

/**
 * A notification of a Datadog monitor. Without our template its title is all there is to read, in this or another order:
 * `[P1] [Triggered on {service:web}] Name`.
 */
function normalizeDatadog(payload: Payload, context: AlertContext): NormalizedAlert | Suppressed {
  const { brackets, name } = titleParts(payload.title ?? '')
  const parts = brackets.map(wordAndScope)
  const place = parts.findIndex(({ word }) => word !== TEST && transitionOf(TRANSITIONS, word) !== undefined)
  const titled = parts[place]
  const { scope } = titled ?? parts[0] ?? {}
  const labels = tagsOf(payload.tags ?? scope ?? '')
  const service = serviceOf(labels)
  const symptom = firstText(name) ?? 'unnamed'
  const fingerprint = fingerprintOf({ source: SOURCE, service, symptom }, context.sha256)
  const isTest = parts.slice(0, Math.max(place, 0)).some(({ word }) => word === TEST)
  const headed = titled ?? parts.find(({ word }) => !PRIORITY.test(word))
  const word = isTest ? TEST : (payload.transition ?? headed?.word ?? '')
  const status = transitionOf(TRANSITIONS, word)
  if (status === undefined) return unknownTransition({ name: SOURCE, title: TITLE }, word, fingerprint)
  if (status === 'no_change') {
    const detail = word === TEST ? 'a test notification of the monitor' : `${word} neither opens nor ends an alert`
    return { suppressed: true, fingerprint, detail }
  }
  const external_id = payload.cycle_key ?? payload.aggreg_key ?? ofMonitor(payload.alert_id, scope)
  const at = timeOfMs(payload.date)
  return {
    source: SOURCE,
    service,
    symptom,
    status,
    severity: severityOf(payload.priority ?? brackets.find((text) => PRIORITY.test(text))),
    fingerprint,
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

const PRIORITY = /^p[1-5]$/i
/** prefix of a test notification's title */
const TEST = 'test'
/** The scope in one of the first so many brackets may contain brackets itself. */
const MAX_SCOPES = 8

/** Splits a title into the brackets before the name of a monitor, and the name; a name that is itself in brackets is the last of them. */
function titleParts(title: string): { brackets: string[]; name: string } {
  const brackets: string[] = []
  let rest = title.trim()
  while (rest.startsWith('[') && rest.includes(']')) {
    const end = brackets.length < MAX_SCOPES ? endOfBracket(rest) : rest.indexOf(']')
    brackets.push(rest.slice(1, end).trim())
    rest = rest.slice(end + 1).trimStart()
  }
  const last = brackets.at(-1) ?? ''
  if (rest !== '' || transitionOf(TRANSITIONS, wordAndScope(last).word) !== undefined) return { brackets, name: rest }
  return { brackets: brackets.slice(0, -1), name: last }
}

/** `[Triggered on {host:a[1]}]` ends behind its scope. */
function endOfBracket(text: string): number {
  const end = text.indexOf(']')
  const scope = text.indexOf('{')
  const closed = scope === -1 || scope > end ? -1 : text.indexOf('}]', scope)
  return closed === -1 ? end : closed + 1
}

/** `Triggered on {service:web,host:a}` */
function wordAndScope(text: string): { word: string; scope: string | undefined } {
  const on = text.indexOf(' on ')
  const word = (on === -1 ? text : text.slice(0, on)).trim().toLowerCase()
  const from = text.indexOf('{')
  const to = text.indexOf('}', from)
  return { word, scope: from === -1 || to === -1 ? undefined : text.slice(from + 1, to) }
}

/** A monitor has one id for all its groups; the scope tells them apart. */
function ofMonitor(id: string | undefined, scope: string | undefined): string | undefined {
  return id === undefined || scope === undefined ? id : `${id}{${scope}}`
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
