import { getCookie, setCookie } from 'hono/cookie'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { type LinkContext, type OpenedLink, recipientActor } from '#services/approvals/links/link-context.ts'
import { openLink } from '#services/approvals/links/open-link.ts'
import type { ApiContext } from './context.ts'
import type { ApiLinks } from './deps.ts'
import { isForeign } from './request-origin.ts'

const MAX_TOKEN_CHARS = 2_000

/** Verifies a request by the signature of its link, and stores the opened link. Throws `not_found` for any other. */
export async function verifyLink(c: ApiContext): Promise<Actor> {
  const { services, limiter } = c.get('deps')
  const token = c.req.query('token') ?? ''
  const opened = await openLink(
    { ...services, ...linksOf(c) },
    { workflow_id: c.req.param('workflow_id') ?? '', token: token.length > MAX_TOKEN_CHARS ? '' : token },
  )
  await limiter.take(opened.link.jti)
  c.set('link', opened)
  return recipientActor(opened)
}

export function linksOf(c: ApiContext): ApiLinks {
  const { links } = c.get('deps')
  if (links === undefined)
    throw new DomainError('not_configured', 'There are no magic links here: SVC_SECRET_KEY is not set.')
  return links
}

/** The link that the guard has verified. */
export function openedLink(c: ApiContext): OpenedLink {
  const { link } = c.var
  if (link === undefined) throw new DomainError('not_found', 'there is no such link')
  return link
}

export function linkContext(c: ApiContext): LinkContext {
  return { ...c.get('ctx'), ...linksOf(c), channel: 'magic_link' }
}

/** Programs get data, people a page. */
export function wantsJson(c: ApiContext): boolean {
  const accept = c.req.header('accept') ?? ''
  return /\bapplication\/(problem\+)?json\b/.test(accept) && !accept.includes('text/html')
}

/** Returns the user of a bearer token; undefined without one, and while authentication is off. */
export async function bearerActor(c: ApiContext): Promise<Actor | undefined> {
  const { auth } = c.get('deps')
  const authorization = c.req.header('authorization')
  const actor = auth.enabled && authorization !== undefined ? await auth.actor(authorization) : undefined
  // a link is for people: the program of a service account answers by the API
  return actor?.key === undefined ? actor : undefined
}

/** A browser keeps the nonce that it has, so that two tabs of one link both work. */
export function pageNonce(c: ApiContext): string {
  const { signer } = linksOf(c)
  const { jti } = openedLink(c).link
  const kept = getCookie(c, cookieOf(jti))
  return kept !== undefined && signer.isNonce(jti, kept) ? kept : signer.nonce(jti)
}

/** Ties the nonce to this browser: no other site can make it come back (RFC 6265bis, SameSite=Strict). */
export function rememberNonce(c: ApiContext, nonce: string): void {
  setCookie(c, cookieOf(openedLink(c).link.jti), nonce, linkCookie(c))
}

/** A cookie that is sent by our own pages only, and only to links. */
export function linkCookie(c: ApiContext) {
  const path = c.get('full_path')
  return {
    httpOnly: true,
    sameSite: 'Strict',
    secure: linksOf(c).secure_cookies,
    path: path.slice(0, path.lastIndexOf('/')),
  } as const
}

/**
 * The field of the page must match the browser's cookie, and the page must be ours: a sibling subdomain can set that cookie, and counts as
 * the same site. A header needs no cookie: neither a link nor a form can set one.
 */
export function isFromPage(c: ApiContext, field: string | undefined): boolean {
  const { signer } = linksOf(c)
  const { jti } = openedLink(c).link
  const header = c.req.header('x-svc-confirm')
  if (header !== undefined) return signer.isNonce(jti, header)
  return !isForeign(c) && field !== undefined && field === getCookie(c, cookieOf(jti)) && signer.isNonce(jti, field)
}

function cookieOf(jti: string): string {
  return `svc_link_${jti.slice(-10)}`
}
