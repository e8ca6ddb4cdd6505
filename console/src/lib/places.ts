/** Of this very file, which the API serves at `<prefix>/console/assets/…`: so the console learns its prefix from nobody. */
const here = import.meta.url

/** Path of the console, with a slash at its end. */
export const CONSOLE_PATH = new URL('..', here).pathname

/** Address of the API, without a slash at its end. */
export const API_URL = new URL('../..', here).href.replace(/\/$/, '')

/** Address of the console's first page; the API takes no path with a slash at its end. */
export const CONSOLE_URL = `${API_URL}/console`

/** Where a line and a column (from 1) are in a text; the nearest place that there is. */
export function offsetOf(
  text: string,
  { line = 1, column = 1 }: { line?: number | undefined; column?: number | undefined },
): number {
  const lines = text.split('\n')
  const above = lines.slice(0, Math.max(0, Math.min(line, lines.length) - 1))
  const here = lines[above.length] ?? ''
  const start = above.reduce((sum, each) => sum + each.length + 1, 0)
  return start + Math.max(0, Math.min(column - 1, here.length))
}

/** Where a list goes on, and how long it is: exactly, or at least. */
export function pagingOf(headers: Headers) {
  return {
    next: cursorOf(headers),
    total: headers.get('x-total-count') ?? undefined,
    at_least: headers.get('x-total-at-least') ?? undefined,
  }
}

/** Where the next page of a list begins; undefined at its end. */
export function cursorOf(headers: Headers): string | undefined {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1]
  if (next === undefined) return undefined
  return new URLSearchParams(next.slice(next.indexOf('?'))).get('cursor') ?? undefined
}
