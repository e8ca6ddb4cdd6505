import { z } from '@hono/zod-openapi'
import { getCookie, setCookie } from 'hono/cookie'
import { isFailure } from '#core/errors.ts'
import type { Authorization, StartedFlow } from '#services/connections/authorize-connection.ts'
import type { ApiContext, RefusalAnswer } from '../context.ts'
import { inPlaceOfData, PAGE_HEADERS, page, say, showPage, visibleHtml, wantsPage } from './page.ts'

const FLOW_SECONDS = 600

export const OauthCompleted = z
  .object({ connection: z.string().meta({ example: 'billing-api' }), missing_scopes: z.array(z.string()) })
  .meta({ id: 'OauthCompleted', description: 'A connection that was authorised.' })

/** Lax, not Strict: the provider leads the browser back, and a strict cookie stays away then. */
function cookieOf(c: ApiContext, flow: string) {
  const secure = c.get('deps').public_url.startsWith('https:')
  return {
    name: `${secure ? '__Host-' : ''}svc_oauth_${flow}`,
    options: { httpOnly: true, sameSite: 'Lax', secure, path: '/' },
  } as const
}

export function keepBrowser(c: ApiContext, { flow, browser }: Pick<StartedFlow, 'flow' | 'browser'>): void {
  c.header('cache-control', 'no-store')
  if (browser === undefined) return
  const { name, options } = cookieOf(c, flow)
  setCookie(c, name, browser, { ...options, maxAge: FLOW_SECONDS })
}

export function browserOf(c: ApiContext, flow: string): string | undefined {
  return getCookie(c, cookieOf(c, flow).name)
}

const AGAIN = 'Authorise the connection again: in the console, or by svc connections authorize.'

interface Answer {
  status: 200 | 400 | 503
  error?: string
  title: string
  text: string
}

const UNUSABLE: Answer = {
  status: 400,
  error: 'invalid_request',
  title: 'This authorisation cannot be completed',
  text: `It was used before, has expired, was begun in another browser, or got five wrong codes. If another tab says that the connection is authorised, nothing is left to do. Otherwise: ${AGAIN}`,
}
const UNAVAILABLE: Answer = {
  status: 503,
  error: 'temporarily_unavailable',
  title: 'Nothing was authorised',
  text: `The provider, or this service, could not be asked at this moment. ${AGAIN}`,
}

const CODE_NEEDED: Answer = {
  status: 400,
  error: 'invalid_request',
  title: 'Type the code that your terminal shows',
  text: 'Send it as the form field `confirm` in a POST to this address.',
}
const FOREIGN: Answer = {
  status: 400,
  error: 'access_denied',
  title: 'Nothing was authorised',
  text: 'The code came from a page of another site. Type it in only on the page to which the provider has led you.',
}

/** Asks for the code of the terminal. The form goes to the address of the page, which has what the provider has sent. */
function askCode(c: ApiContext, { name, is_wrong }: { name: string; is_wrong: boolean }): Response {
  const parts = [
    `<h1>${visibleHtml(CODE_NEEDED.title)}</h1>`,
    is_wrong ? say('That is not the code. After five wrong codes the authorisation ends.', 'alert') : '',
    `<p>This authorises the connection ${visibleHtml(name)} of this service with the account that you have just used. Go on only if you began it yourself, with <code>svc connections authorize</code>.</p>`,
    '<form method="post" autocomplete="off">',
    '<label>Code <input type="text" name="confirm" required maxlength="20" autocomplete="off" autocapitalize="characters" spellcheck="false"></label>',
    '<button>Authorise</button></form>',
  ]
  return showPage(c, page(CODE_NEEDED.title, parts), is_wrong ? 400 : 200)
}

function answerOf(found: Exclude<Authorization, { outcome: 'code_needed' }>): Answer {
  switch (found.outcome) {
    case 'authorized': {
      const { name, missing_scopes } = found
      const less =
        missing_scopes.length === 0
          ? ''
          : ` The provider has not granted ${missing_scopes.join(', ')}: steps that need this will fail.`
      return { status: 200, title: 'Authorised', text: `Steps can use the connection ${name} now.${less}` }
    }
    case 'denied':
      return {
        status: 400,
        error: 'access_denied',
        title: 'Nothing was authorised',
        text: `The provider says that consent was not given. Nothing has changed. To try again: ${AGAIN}`,
      }
    case 'changed':
      return {
        status: 400,
        error: 'invalid_request',
        title: 'Nothing was authorised',
        text: `The connection was changed in the meantime. ${AGAIN}`,
      }
    case 'not_allowed':
      return {
        status: 400,
        error: 'access_denied',
        title: 'Nothing was authorised',
        text: 'The account that began this may not change connections any more. Ask an owner or admin of all workspaces to authorise it.',
      }
    case 'signed_out':
      return {
        status: 400,
        error: 'access_denied',
        title: 'Nothing was authorised',
        text: `The sign-in or the API key that began this is no longer valid. Sign in again. ${AGAIN}`,
      }
    case 'refused':
      return {
        status: 400,
        error: 'invalid_request',
        title: 'Nothing was authorised',
        text: `The answer of the provider was not accepted. Check the issuer, the id and the secret of the client; the audit log says more. ${AGAIN}`,
      }
    case 'unavailable':
      return UNAVAILABLE
    case 'unusable':
      return UNUSABLE
  }
}

/** Says what came of it, as a page to browsers. Nothing in it is from the request. */
export function showAuthorization(c: ApiContext, found: Authorization): never {
  if (found.outcome === 'code_needed')
    return inPlaceOfData(wantsPage(c) ? askCode(c, found) : showAnswer(c, CODE_NEEDED))
  const answer = answerOf(found)
  if (wantsPage(c) || found.outcome !== 'authorized')
    return inPlaceOfData(showAnswer(c, answer, 'name' in found ? found.name : undefined))
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value)
  return inPlaceOfData(c.json({ connection: found.name, missing_scopes: found.missing_scopes }, 200))
}

/** Refuses a request that came neither from a provider nor from our own page, and one that cannot be answered now. */
export const refuseCallback: RefusalAnswer = (error, c) => {
  if (error.code === 'forbidden') return showAnswer(c, FOREIGN)
  return showAnswer(c, isFailure(error.code) ? UNAVAILABLE : UNUSABLE)
}

function showAnswer(c: ApiContext, { status, error, title, text }: Answer, name?: string): Response {
  if (wantsPage(c) || error === undefined) {
    const console = new URL('console/admin?part=connections', `${c.get('deps').public_url.replace(/\/$/, '')}/`)
    if (name !== undefined) console.searchParams.set('name', name)
    const parts = [
      `<h1>${visibleHtml(title)}</h1>`,
      say(text, status === 200 ? 'status' : 'alert'),
      `<p><a href="${visibleHtml(console.href)}">Open the connection${name === undefined ? 's' : ''} in the console</a></p>`,
    ]
    return showPage(c, page(title, parts), status)
  }
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value)
  return c.json({ error, error_description: `${title}. ${text}` }, status)
}
