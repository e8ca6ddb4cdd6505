import { InvalidArgumentError } from 'commander'
import { createColors, isColorSupported } from 'picocolors'
import { visible, visibleLine } from '#core/text/visible-text.ts'
import { isoTime, parseDuration } from '#core/time/time.ts'

/** Colours at a terminal, unless `NO_COLOR` is set; never in piped or stored output. */
export const pc = createColors(isColorSupported && process.stdout.isTTY === true)

/** True where a person reads; what is piped or stored keeps the words of the API. */
export const atTerminal = process.stdout.isTTY === true

/**
 * Parses the number of an option, between `least` and `most`. Made for each option, because Commander also passes the previous value to a
 * parser.
 */
export function wholeNumber(most: number = Number.MAX_SAFE_INTEGER, least = 1): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value
    const to = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`
    throw new InvalidArgumentError(`a whole number from ${least}${to}`)
  }
}

/** Takes the amount of an option, in US dollars. */
export function dollars(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  throw new InvalidArgumentError('an amount in US dollars, such as 2.50')
}

/** `1 error`, `2 errors`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** The moment that an option names: `2h` is two hours ago, anything else a time such as `2026-01-31T12:00:00Z`. */
export function momentOf(text: string): string {
  const back = parseDuration(text)
  const at = back === undefined ? Date.parse(text) : Date.now() - back
  if (Number.isNaN(at)) throw new InvalidArgumentError('a span back such as 30m, 2h or 7d, or a time (RFC 3339)')
  return isoTime(at)
}

/** Cleans foreign text: control and direction characters are shown as escapes and do not reach the terminal. */
export function printable(text: string): string {
  return visibleLine(text)
}

/** The same for text of several lines, which stay lines. */
export function printableLines(text: string): string[] {
  return visible(text.replaceAll('\r\n', '\n').replaceAll('\t', '  ')).split('\n')
}

/** Names workspaces by their slugs, with their ids where asked; `*` is all of them. */
export function workspaceNames(
  ids: readonly string[],
  known: readonly { id: string; slug: string }[],
  withIds: boolean,
): string {
  const named = (id: string) => {
    const slug = known.find((each) => each.id === id)?.slug
    if (id === '*') return 'all'
    if (slug === undefined) return id
    return withIds ? `${slug} (${id})` : slug
  }
  return ids.map(named).join(', ')
}
