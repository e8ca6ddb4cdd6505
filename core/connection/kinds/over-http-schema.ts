import { percentDecoded } from '../../text/text.ts'
import { type Kind, Text, userProblem } from './define-kind-schema.ts'

export const baseUrl = (about: { title: string; description: string; example: string }) =>
  Text.max(2_000)
    .refine(isBaseUrl, 'an http or https url without user, password, query and fragment')
    .meta({ ...about, format: 'uri' })
    // people read the host that the secret goes to, in one spelling
    .transform((text) => new URL(text).href)

export function isBaseUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** What kinds that are reached over HTTP have in common. */
export const OVER_HTTP: Omit<Kind<{ base_url: string; user?: string }>, 'title' | 'config'> = {
  auth: ['bearer', 'basic', 'none'],
  secret: 'Token or password',
  problem({ user }, auth) {
    // RFC 7617: what follows a colon is the password
    if (auth === 'basic' && user?.includes(':') === true)
      return { field: 'user', message: 'a user of basic authentication has no colon' }
    return userProblem(user, auth)
  },
  address: ({ base_url }) => new URL(base_url).href,
  leadsTo: ({ base_url }) => base_url,
  url({ base_url, user = '' }, auth, secret) {
    const url = new URL(base_url)
    if (auth === 'none') return url.href
    url.username = encodeURIComponent(user)
    url.password = encodeURIComponent(secret)
    return url.href
  },
}

/** `https://user:password@host` signs in as a user, `https://:token@host` with a token. */
export function httpLogin({ username, password }: URL): { user: string; secret: string } {
  return { user: percentDecoded(username), secret: percentDecoded(password) }
}
