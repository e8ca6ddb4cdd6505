import type { Actor } from '#core/actor.ts'
import { DomainError, type ErrorCode } from '#core/errors.ts'
import { objectOf, textOf } from '#core/json/json.ts'
import type { DecidedGate } from '#services/approvals/gate-decision.ts'
import { decideApprovalLink } from '#services/approvals/links/decide-approval-link.ts'
import { reopenLink } from '#services/approvals/links/open-link.ts'
import { type LinkView, showApprovalLink } from '#services/approvals/links/show-approval-link.ts'
import {
  bearerActor,
  isFromPage,
  linkContext,
  openedLink,
  pageNonce,
  rememberNonce,
  wantsJson,
} from './approval-link.ts'
import type { ApiContext } from './context.ts'
import { forgetSignIn, knownUser, signInOnPage } from './link-sign-in.ts'
import { answeredPage, approvalPage, decidedText } from './pages/approval-page.ts'
import { HTML, PAGE_HEADERS, PAGE_POLICY } from './pages/page.ts'
import { PROBLEMS } from './problem.ts'
import type { LinkAnswer } from './schemas/approval-link.ts'
import { toDomainError } from './to-domain-error.ts'

type PageStatus = 200 | (typeof PROBLEMS)[keyof typeof PROBLEMS]['status']

/** Shows a link, with the nonce that its decision needs. */
export function pageAnswer(
  c: ApiContext,
  view: LinkView,
  options: { json: boolean; say?: string; status?: PageStatus; reload_from?: string; typed?: LinkAnswer },
): Response {
  rememberNonce(c, view.nonce)
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value)
  if (options.json) return c.json(view, 200)
  c.header('content-security-policy', PAGE_POLICY)
  const can_sign_in = c.get('deps').auth.enabled
  const { say, reload_from, typed } = options
  const text = approvalPage(view, {
    can_sign_in,
    ...(say !== undefined && { say }),
    ...(reload_from !== undefined && { reload_from }),
    ...(typed !== undefined && { typed }),
  })
  return c.body(text, options.status ?? 200, HTML)
}

/** Decides, and answers a person with a page and a program with the outcome or a problem document. */
export async function answerByLink(c: ApiContext, answer: LinkAnswer): Promise<Response> {
  const ctx = linkContext(c)
  const opened = openedLink(c)
  const person = signInOnce(c, answer)
  try {
    if (answer.decision === '' && wantsToSee(answer)) return await showToPerson(c, await person(), answer.nonce)
    await refuseArchived(c, opened.link.workspace_id)
    if (answer.user_id !== undefined) mustBe(answer.user_id, await person())
    const outcome = await decideApprovalLink(ctx, opened, {
      decision: answer.decision === '' ? undefined : answer.decision,
      ...(answer.note !== undefined && { note: answer.note }),
      ...(answer.code !== undefined && { code: answer.code }),
      from_page: isFromPage(c, answer.nonce),
      confirmed: answer.sure === '1' || wantsJson(c),
      signIn: person,
    })
    return decided(c, outcome)
  } catch (thrown) {
    if (wantsJson(c)) throw thrown
    const error = toDomainError(thrown)
    if (error.code === 'internal') throw thrown
    const actor = await person().catch(() => undefined)
    const shown = await showApprovalLink(ctx, await reopenLink(ctx, opened), { actor, nonce: pageNonce(c) })
    const view = WRONG_PERSON.has(error.code) ? signedOut(c, shown) : shown
    const say = view.state === 'decided' ? decidedText(view.decided) : error.message
    const { status } = PROBLEMS[error.code]
    // it came from the page, and only a choice is missing
    return pageAnswer(c, view, {
      json: false,
      say,
      status,
      ...(error.code === 'decision_required' && { typed: answer }),
    })
  }
}

/** Refusals of a user; another user may sign in on the same page. */
const WRONG_PERSON = new Set<ErrorCode>(['approver_not_allowed', 'self_approval'])

function signedOut(c: ApiContext, { signed_in_as: _user, user_id: _id, answers, ...view }: LinkView): LinkView {
  forgetSignIn(c)
  return { ...view, ...(answers !== undefined && { answers: { ...answers, you_may: [] } }) }
}

/** Another user may have signed in since, in another tab of the browser. */
function mustBe(id: string, actor: Actor | undefined): void {
  if (actor !== undefined && actor.id !== id)
    throw new DomainError('conflict', `${actor.display} is signed in now. Read the page again before you decide.`)
}

/** A link is a write like any other. */
async function refuseArchived(c: ApiContext, workspaceId: string): Promise<void> {
  const workspace = await c.get('deps').workspaces.find(workspaceId)
  if (workspace?.status === 'archived')
    throw new DomainError('workspace_archived', 'The workspace is archived: nothing in it can change.')
}

/** Signing in shows what there is to decide; deciding is another step. */
async function showToPerson(c: ApiContext, actor: Actor | undefined, nonce: string | undefined): Promise<Response> {
  if (!isFromPage(c, nonce)) throw new DomainError('forbidden', 'The request did not come from the page of this link.')
  const view = await showApprovalLink(linkContext(c), openedLink(c), { actor, nonce: pageNonce(c) })
  return pageAnswer(c, view, { json: wantsJson(c) })
}

function wantsToSee({ email, password }: LinkAnswer): boolean {
  return email !== undefined && email !== '' && password !== undefined && password !== ''
}

/** A password is checked at most once a request, and once a visit where it shows what there is to decide. */
function signInOnce(c: ApiContext, { email, password, nonce, keep }: LinkAnswer): () => Promise<Actor | undefined> {
  let checked: Promise<Actor | undefined> | undefined
  const check = async () => {
    const bearer = await bearerActor(c)
    if (bearer !== undefined || !c.get('deps').auth.enabled || !isFromPage(c, nonce)) return bearer
    return email && password ? await signInOnPage(c, { email, password, keep: keep === '1' }) : await knownUser(c)
  }
  return () => {
    checked ??= check()
    return checked
  }
}

function decided(c: ApiContext, outcome: DecidedGate): Response {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value)
  if (wantsJson(c)) return c.json(outcome, 200)
  forgetSignIn(c)
  c.header('content-security-policy', PAGE_POLICY)
  const { have, need } = outcome.approvals
  const verb = outcome.decision === 'reject' ? 'rejected' : 'approved'
  const rest = outcome.resolved ? '' : ` ${have} of ${need} approvals are there; the run waits for the others.`
  const { gate } = openedLink(c)
  const what = textOf(objectOf(gate.view['plan'])['summary']) || 'it'
  // from /triggers/approve/<id>, also behind a prefix
  const run = `../../workspaces/${gate.workspace_id}/runs/${gate.run_id}`
  return c.body(answeredPage(`You have ${verb}: ${what}.${rest} You can close this page.`, run), 200, HTML)
}
