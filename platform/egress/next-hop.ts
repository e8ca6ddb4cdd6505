import { isSecretName } from '#core/egress/secret-name.ts'

/** What one hop of a request sends. */
export interface Hop {
  method: string
  url: string
  headers: Record<string, string>
  body?: Uint8Array
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The request that a redirect asks for (Fetch standard, HTTP-redirect fetch), or undefined when the answer is final. */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, hop.url)) return undefined
  const url = new URL(location, hop.url)
  const becomesGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') || (status < 303 && hop.method === 'POST')
  const crosses = url.origin !== new URL(hop.url).origin
  const headers = Object.fromEntries(
    Object.entries(hop.headers).filter(
      ([name]) => !(crosses && staysHome(name)) && !(becomesGet && describesBody(name)),
    ),
  )
  if (becomesGet) return { method: 'GET', url: url.href, headers }
  return { method: hop.method, url: url.href, headers, ...(hop.body === undefined ? {} : { body: hop.body }) }
}

/** Headers that were meant for one origin only. */
function staysHome(name: string): boolean {
  return isSecretName(name) || name.toLowerCase() === 'idempotency-key'
}

function describesBody(name: string): boolean {
  return /^content-(encoding|language|location|type|length)$/i.test(name)
}
