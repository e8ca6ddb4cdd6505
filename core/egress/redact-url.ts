import { percentDecoded } from '../percent-decoded.ts'
import { HIDDEN, isSecretName } from './secret-name.ts'

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
