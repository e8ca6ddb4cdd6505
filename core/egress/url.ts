import { percentDecoded } from '../text/text.ts'

const SECRET_NAME =
  /(^|[-_])(authorization|auth|cookie|token|secret|password|passwd|passphrase|credentials?|signature|session|jwt|apikey|key)($|[-_0-9])|(token|secret|password|apikey)$/

/** What stands in the place of a secret wherever people or records see it. */
export const HIDDEN = '<hidden>'

/** Whether a header, query parameter or field is named like something that holds a secret. */
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

function redactPair(pair: string): string {
  const name = pair.split('=', 1)[0] ?? ''
  return pair.includes('=') && isSecretName(percentDecoded(name)) ? `${name}=${HIDDEN}` : pair
}

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
