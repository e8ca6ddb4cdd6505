import { percentDecoded } from '../text/text.ts'

const SECRET_NAME =
  /(^|[-_])(authorization|auth|cookie|token|secret|password|passwd|passphrase|credentials?|signature|session|jwt|apikey|key)($|[-_0-9])|(token|secret|password|apikey)$/

/** Replaces a secret in anything that people or records see. */
export const HIDDEN = '<hidden>'

/** Tells whether the name of a header, query parameter or field suggests a secret. */
export function isSecretName(name: string): boolean {
  const normalised = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[.\s]/g, '-')
  return normalised !== 'idempotency-key' && SECRET_NAME.test(normalised)
}

/** A URL as people and records may see it: no user information, and no values of parameters that are named like secrets. */
export function redactUrl(url: string): string {
  const [beforeFragment = ''] = url.split('#', 1)
  const [path = '', ...query] = beforeFragment.split('?')
  const shown = path.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
  return query.length === 0 ? shown : `${shown}?${query.join('?').split('&').map(redactPair).join('&')}`
}

/** A host as sockets and resolvers take it: an IPv6 address without its brackets. */
export function bareHost(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

function redactPair(pair: string): string {
  const name = pair.split('=', 1)[0] ?? ''
  return pair.includes('=') && isSecretName(percentDecoded(name)) ? `${name}=${HIDDEN}` : pair
}

/** Most bytes of an answer that are read by default. */
export const DEFAULT_MAX_BYTES = 1024 * 1024

/** A redirect that was met on the way: its status and its target. */
export type Redirect = { status: number; location: string }

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Returns the target of a redirect: an absolute url, or the text of the header where it is none; undefined when the answer is no redirect.
 */
export function redirectLocation(url: string, status: number, location: string | undefined): string | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined
  return URL.canParse(location, url) ? new URL(location, url).href : location
}
