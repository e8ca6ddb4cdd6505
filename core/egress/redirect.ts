/** So many bytes of an answer are read where nothing else is said. */
export const DEFAULT_MAX_BYTES = 1_048_576

/** One redirect that was met on the way: what was answered, and where it points. */
export type Redirect = { status: number; location: string }

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Where an answer points: an absolute url, or the text of the header where it is none; undefined when it is no redirect. */
export function redirectLocation(url: string, status: number, location: string | undefined): string | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined
  return URL.canParse(location, url) ? new URL(location, url).href : location
}
