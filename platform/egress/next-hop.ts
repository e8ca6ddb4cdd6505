/** What one hop of a request sends. */
export interface Hop {
  method: string
  url: string
  headers: Record<string, string>
  body?: Uint8Array
}

/** One redirect that was met on the way: what was answered, and where it points. */
export type Redirect = { status: number; location: string }

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** What any origin may be told. Every other header was meant for the origin that the request names. */
const FOR_ANYONE = new Set(['accept', 'accept-language', 'accept-encoding', 'user-agent'])

/** Where an answer points: an absolute url, or the text of the header where it is none; undefined when it is no redirect. */
export function redirectLocation(url: string, status: number, location: string | undefined): string | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined
  return URL.canParse(location, url) ? new URL(location, url).href : location
}

/** The next request of a read that was redirected (Fetch standard, HTTP-redirect fetch). */
export function nextHop(hop: Hop, location: string): Hop {
  if (new URL(location).origin === new URL(hop.url).origin) return { ...hop, url: location }
  const headers = Object.entries(hop.headers).filter(([name]) => FOR_ANYONE.has(name.toLowerCase()))
  return { method: hop.method, url: location, headers: Object.fromEntries(headers) }
}
