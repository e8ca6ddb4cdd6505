import { agoText } from '#core/time-words.ts'
import type { KeptToken } from './credentials.ts'

/** What somebody whose token was refused can do, and why it was where that can be read. */
export function signInAdvice(
  { token, kept }: { token: string | undefined; kept: KeptToken | undefined },
  now: number,
): string {
  if (token !== undefined) {
    const expired = expiryOf(token)
    return expired !== undefined && Date.parse(expired) <= now
      ? `The token in SVC_TOKEN expired ${agoText(expired, now)}: set a new one, or unset it and log in with: svc login`
      : 'SVC_TOKEN holds the token that was refused: set another one, or unset it and log in with: svc login'
  }
  if (kept === undefined || Date.parse(kept.expires_at) > now) return 'Log in with: svc login'
  return `Your token of ${kept.email} expired ${agoText(kept.expires_at, now)}. Log in again with: svc login --email ${kept.email}`
}

/** When a JSON Web Token says that it ends; undefined for any other token. It is shown, never trusted. */
function expiryOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined
    return typeof exp === 'number' ? new Date(exp * 1_000).toISOString() : undefined
  } catch {
    return undefined
  }
}
