/** What one hop of a request sends. */
export interface Hop {
  method: string
  url: string
  headers: Record<string, string>
  body?: Uint8Array
}

/** What any origin may be told. Every other header was meant for the origin that the request names. */
const FOR_ANYONE = new Set(['accept', 'accept-language', 'accept-encoding', 'user-agent'])

/** The next request of a read that was redirected (Fetch standard, HTTP-redirect fetch). */
export function nextHop(hop: Hop, location: string): Hop {
  if (new URL(location).origin === new URL(hop.url).origin) return { ...hop, url: location }
  const headers = Object.entries(hop.headers).filter(([name]) => FOR_ANYONE.has(name.toLowerCase()))
  return { method: hop.method, url: location, headers: Object.fromEntries(headers) }
}
