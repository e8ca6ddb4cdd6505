import { cutText } from '../text/text.ts'
import { visible } from '../text/visible-text.ts'
import type { AlertRecord } from '../trigger/alert-record.ts'
import type { NoticeAlert } from './types.ts'

const TITLE_CHARS = 300
const DESCRIPTION_CHARS = 1_000
const LINK_CHARS = 2_000

type ShownAlert = Pick<AlertRecord, 'title' | 'severity' | 'service' | 'source' | 'links'> & {
  [Name in 'description' | 'generator_url']?: string | undefined
}

/** Returns the alert of a run as messages show it; only web addresses become links. */
export function alertFacts(alert: ShownAlert): NoticeAlert {
  const { title, severity, service, source, description, generator_url, links } = alert
  const link = [generator_url, ...links.map(({ url }) => url)].find(isWebAddress)
  return {
    title: cutText(visible(title), TITLE_CHARS),
    severity,
    service: cutText(visible(service), TITLE_CHARS),
    source: cutText(visible(source), TITLE_CHARS),
    ...(description !== undefined && { description: cutText(visible(description), DESCRIPTION_CHARS) }),
    ...(link !== undefined && { link }),
  }
}

/** Accepts only addresses that a browser opens, without credentials, and without letters that could be mistaken for others. */
function isWebAddress(text: string | undefined): text is string {
  return text !== undefined && text.length <= LINK_CHARS && /^https?:\/\/[^\s@\\"'<>\u0080-\uffff]+$/i.test(text)
}

/** Text of others as one line of at most `max` characters; it can neither add a line nor a header, nor hide anything. */
export function oneLine(text: string, max: number): string {
  return shorten(visible(text).replace(/\s+/g, ' ').trim(), max)
}

/** Cleans a foreign multi-line text, such as a command: unchanged, or cut with a mark. */
export function cleanBlock(text: string, max: number): string {
  const block = visible(text)
  if (block.length <= max) return block
  const mark = ` (cut: ${block.length} characters in all)`
  return mark.length < max ? `${shorten(block, max - mark.length)}${mark}` : shorten(block, max)
}

/** Cuts between characters, never inside one nor inside an escape. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, max - 1).replace(/(\p{Cs}|\\(u(\{[0-9a-f]*)?)?)$/u, '')}…`
}
