import { withClass } from '#core/environment/environment.ts'
import type { DomainError } from '#core/errors.ts'
import { oneLine } from '#core/notify/alert-facts.ts'
import { riskPill, severityPill } from '#core/text/pills.ts'
import { CODE_TRIES } from '#services/approvals/links/link-context.ts'
import type { LinkDetails, LinkView } from '#services/approvals/links/show-approval-link.ts'
import type { ApiContext } from '../context.ts'
import type { LinkAnswer } from '../schemas/approval-link.ts'
import { factTable, page, pillHtml, say, showPage, visibleHtml, wantsPage } from './page.ts'

/** Renders the page of a magic link: what is asked, the reason given, what was found, the decision, and folded below it everything else. `say` is the result of the last try, `reload_from` an address from which the page reloads itself at once. */
export function approvalPage(
  view: LinkView,
  options: { say?: string; can_sign_in: boolean; reload_from?: string; typed?: Typed },
): string {
  const { details } = view
  const title = details?.message.title ?? 'A decision is requested'
  const parts = [
    `<h1>${visibleHtml(title)}</h1>`,
    options.say === undefined ? '' : say(options.say, 'alert'),
    view.state !== 'open' || details?.message.outcome === undefined ? '' : say(details.message.outcome),
    details === undefined
      ? `<p>A decision is requested in workspace <strong>${visibleHtml(view.workspace)}</strong>, template <strong>${visibleHtml(view.template)}</strong>.</p>`
      : questionText(details),
    haltText(view),
    stateText(view),
    remarksText(view),
    view.state === 'open' && details !== undefined ? approvalsText(view, details) : '',
    view.state === 'open' ? form(view, options) : '',
    details === undefined ? '' : factsText(view, details),
  ]
  return page(title, parts, options.reload_from)
}

/** Renders the page after an accepted decision. `run`: the address of its run. */
export function answeredPage(text: string, run: string): string {
  const link = `<p><a href="${visibleHtml(run)}">How the run goes on</a></p>`
  return page('Decided', ['<h1>Decided</h1>', say(text, 'status'), link])
}

/** Renders the page of an invalid link for browsers; undefined for programs. */
export function linkRefusalPage(error: DomainError, c: ApiContext): Response | undefined {
  return wantsPage(c) && error.code === 'not_found' ? showPage(c, noSuchLinkPage(), 404) : undefined
}

/** Renders the page of a link that has expired, was cut, or never existed, without telling which. */
function noSuchLinkPage(): string {
  return page('Not found', [
    '<h1>This link leads nowhere</h1>',
    '<p>It may have expired, or lost a piece on its way here. <code>svc gates</code> lists what still waits for an answer.</p>',
  ])
}

function haltText({ halts = [] }: LinkView): string {
  if (halts.length === 0) return ''
  return say(`Halted: ${halts.join('; ')}. An approved step continues when the halt is lifted.`)
}

function stateText({ state, decided, login_required, details }: LinkView): string {
  switch (state) {
    case 'open':
      return login_required && details === undefined ? '<p>Sign in to see what it is about and to decide.</p>' : ''
    case 'decided':
      return say(decidedText(decided))
    case 'changed':
      return say('The plan has changed since this link was sent. A new link was sent for the new plan.')
    case 'used':
      return say(
        'A decision was made with this link before. Other approvers use the link of their own message, or `svc remote approve`.',
      )
    case 'blocked':
      return say('Too many wrong codes were given: this link can no longer decide anything.')
  }
}

export function decidedText(decided: LinkView['decided']): string {
  if (decided === undefined) return 'This has been decided already.'
  const by = decided.by === null ? '' : ` by ${decided.by}`
  return `Already decided${by} at ${decided.at_words}: ${decided.status}.`
}

/** Formats what is asked: the operation to the letter, where and how grave, what earlier steps found, and why a person is asked. */
function questionText(details: LinkDetails): string {
  const { message, summary, command, connection, environment, environment_class, reason, risk } = details
  const pills = [...(details.severity === null ? [] : [severityPill(details.severity)]), riskPill(risk)]
  const because = message.because.map((each) => `<li>${visibleHtml(each)}</li>`).join('')
  return [
    // an alert that has started it is the title already
    reason === null || message.title.includes(oneLine(reason, reason.length)) ? '' : paragraph(`Reason: ${reason}`),
    paragraph(summary),
    `<p class="facts">${pills.map(pillHtml).join(' ')} ${[withClass(environment, environment_class), connection]
      .filter((each) => each !== null)
      .map(visibleHtml)
      .join(' · ')}</p>`,
    command === null ? '' : `<h2>What will be sent</h2><pre>${visibleHtml(command)}</pre>`,
    ...message.evidence.map(
      ({ title, excerpt }) => `<h2>Found before: ${visibleHtml(title)}</h2><pre>${visibleHtml(excerpt)}</pre>`,
    ),
    because === '' ? '' : `<h2>Why approval is needed</h2><ul>${because}</ul>`,
  ].join('\n')
}

/** Formats what others say of it, where the answer is given. */
function remarksText({ remarks }: LinkView): string {
  if (remarks === undefined) return ''
  const { acknowledged, comments } = remarks
  const said = comments.map(
    ({ name, text, at_words }) =>
      `<li><strong>${visibleHtml(name)}</strong>: ${visibleHtml(text)} <small>(${visibleHtml(at_words)})</small></li>`,
  )
  return [
    said.length === 0 ? '' : `<h2>Comments</h2><ul>${said.join('')}</ul>`,
    acknowledged.length === 0 ? '' : paragraph(`Looking at it: ${acknowledged.join(', ')}.`),
  ].join('')
}

/** Formats the approvals that are there, and what one of the reader would do. */
function approvalsText({ answers }: LinkView, { approvals }: LinkDetails): string {
  const { have, need, by, missing, missing_text } = approvals
  const there = `${have} of ${need} ${need === 1 ? 'approval' : 'approvals'}${by.length === 0 ? '' : `: ${by.join(', ')}`}.`
  // who else may approve is told to one who may not
  if (answers !== undefined && !answers.you_may.includes('approve')) return paragraph(there)
  if (missing <= 1) return paragraph(`${there} ${have === 0 ? 'Yours is enough' : 'Yours is the last'}.`)
  const others =
    answers === undefined || answers.others.length === 0 ? '' : ` Others who may: ${answers.others.join(', ')}.`
  return paragraph(`${there} It takes ${missing_text}, yours among them.${others}`)
}

const paragraph = (text: string) => `<p>${visibleHtml(text)}</p>`

/** Formats everything else that an approver may want to know, with the ids. */
function factsText(view: LinkView, { message, shaped_by, operator, targets }: LinkDetails): string {
  const facts = factTable([
    ...message.facts,
    { label: 'Workspace', value: view.workspace },
    ...shaped_by.map((value) => ({ label: 'Shaped by', value })),
    { label: 'Operation', value: operator },
    ...(targets.length === 0 ? [] : [{ label: 'Targets', value: targets.join(', ') }]),
  ])
  return `<details><summary>Who asked, who may answer, and the identifiers</summary>${facts}</details>`
}

/** What stays in the form when only a choice was missing. */
type Typed = Pick<LinkAnswer, 'decision' | 'note' | 'code'>

/** Nothing is preselected, and knowing the link alone is not enough to submit the form. */
function form(view: LinkView, { can_sign_in, typed = {} }: { can_sign_in: boolean; typed?: Typed }): string {
  if (view.login_required && !can_sign_in)
    return say('This gate needs a signed-in user, and sign-in is off here: use the console or the command line.')
  const { you_may = BOTH } = view.answers ?? {}
  if (you_may.length === 0) return `${othersText(view)}${otherUser(view)}`
  const isHidden = view.login_required && view.details === undefined
  const decision = isHidden
    ? '<p><button type="submit" name="decision" value="">Sign in and show</button></p>'
    : `<label>Note${formatNote(view)} <textarea name="note" rows="1" maxlength="4000">${visibleHtml(typed.note ?? '')}</textarea></label>
<div class="answer"><div class="choices">${you_may.map((each) => choice(each, typed)).join('\n')}</div>
${confirmation(view)}
<button type="submit">Send the decision</button></div>`
  return `${you_may.includes('approve') ? '' : othersText(view)}
<form method="post" autocomplete="off">
<fieldset><legend>Your decision</legend>
<input type="hidden" name="nonce" value="${visibleHtml(view.nonce)}">
${proof(view, typed)}
${decision}
</fieldset>
</form>${you_may.includes('approve') ? '' : otherUser(view)}`
}

function proof({ login_required, signed_in_as, user_id = '', tries_left }: LinkView, { code = '' }: Typed): string {
  if (signed_in_as !== undefined)
    return `<p>Signed in as <strong>${visibleHtml(signed_in_as)}</strong>.</p>
<input type="hidden" name="user_id" value="${visibleHtml(user_id)}">`
  if (login_required) return credentials('checked')
  const left = tries_left === undefined ? '' : ` (${tries_left} of ${CODE_TRIES} tries left)`
  return `<label>Code from the message that brought you here${left} <input type="text" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="12" value="${visibleHtml(code)}" required></label>`
}

/** `keep` is checked where it takes nobody else's session away. */
const credentials = (
  keep: 'checked' | '',
) => `<label>Mail address <input type="email" name="email" autocomplete="username" required></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<label class="check"><input type="checkbox" name="keep" value="1" ${keep}> Stay signed in in this browser, for further gates and the console</label>`
const BOTH = ['approve', 'reject'] as const
const CHOICES = { approve: 'Approve', reject: 'Reject' } as const

function choice(decision: keyof typeof CHOICES, typed: Typed): string {
  const chosen = typed.decision === decision ? ' checked' : ''
  return `<label><input type="radio" name="decision" value="${decision}" required${chosen}> ${CHOICES[decision]}</label>`
}

/** Shown where an approval is chosen. */
function confirmation({ details }: LinkView): string {
  if (details?.needs_confirmation !== true) return ''
  const where = visibleHtml(withClass(details.environment, details.environment_class))
  return `<label class="check sure"><input type="checkbox" name="sure" value="1"> <span>Yes, do it in ${where}. The answer cannot be taken back.</span></label>`
}

function otherUser({ nonce }: LinkView): string {
  return `<form method="post" autocomplete="off">
<fieldset><legend>Sign in as another user</legend>
<input type="hidden" name="nonce" value="${visibleHtml(nonce)}">
${credentials('')}
<p><button type="submit" name="decision" value="">Sign in and show</button></p>
</fieldset>
</form>`
}

/** Formats the missing voters, for a user who may not answer. */
function othersText({ answers, signed_in_as }: LinkView): string {
  if (answers === undefined) return ''
  const { you_may, missing, others } = answers
  const name = signed_in_as ?? 'You'
  const you = you_may.length === 0 ? `${name} may not answer this` : `${name} may reject this, not approve it`
  const who =
    others.length === 0 ? 'No other user here may approve it now.' : `It may be approved by: ${others.join(', ')}.`
  return say(`${you}. It takes ${missing}. ${who}`)
}

function formatNote({ details }: LinkView): string {
  return { always: ' (needed)', reject: ' (needed to reject)', none: '' }[details?.note_needed ?? 'none']
}
