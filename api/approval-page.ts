import { createHash } from 'node:crypto'
import { visible } from '#core/visible-text.ts'
import type { LinkDetails, LinkView } from '#services/approvals/links/show-link.ts'

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:44rem;padding:0 1rem;color:#1c2024;background:#fff}
h1{font-size:1.4rem}table{border-collapse:collapse}th{text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0;color:#555;font-weight:500}
td{overflow-wrap:anywhere}pre{background:#f4f5f7;padding:.75rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
fieldset{border:1px solid #ccd;border-radius:.4rem;margin:1.5rem 0;padding:1rem}label{display:block;margin:.5rem 0}
input[type=text],input[type=email],input[type=password],textarea{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.4rem}
button{font:inherit;padding:.5rem 1.2rem}.say{border-left:4px solid #06c;padding:.5rem 1rem;background:#f0f6ff}
@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#15181b}th{color:#9aa}pre{background:#20252b}.say{background:#12263f}}
`

/** The page runs nothing, loads nothing, and sends its form to nobody but us. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** What a person who follows a magic link sees. `say` is what became of the last try. */
export function approvalPage(view: LinkView, options: { say?: string; can_sign_in: boolean }): string {
  const { say } = options
  const title = view.details?.summary === undefined ? 'A decision is requested' : 'Decide about a step'
  return page(title, [
    `<h1>${escapeHtml(title)}</h1>`,
    say === undefined ? '' : `<p class="say" role="alert">${escapeHtml(say)}</p>`,
    `<p>A decision is requested in workspace <strong>${escapeHtml(view.workspace)}</strong>, template <strong>${escapeHtml(view.template)}</strong>.</p>`,
    view.details === undefined ? '' : detailTable(view.details),
    haltText(view),
    stateText(view),
    view.state === 'open' ? form(view, options.can_sign_in) : '',
  ])
}

/** What a person sees whose decision was taken. */
export function answeredPage(text: string): string {
  return page('Decided', ['<h1>Decided</h1>', `<p class="say" role="status">${escapeHtml(text)}</p>`])
}

function haltText({ halts = [] }: LinkView): string {
  if (halts.length === 0) return ''
  return `<p class="say">Halted: ${escapeHtml(halts.join('; '))}. What is approved now goes on when the halt is lifted.</p>`
}

function stateText({ state, decided, login_required, details }: LinkView): string {
  switch (state) {
    case 'open':
      return login_required && details === undefined ? '<p>Sign in to see what it is about and to decide.</p>' : ''
    case 'decided':
      return `<p class="say">${escapeHtml(decidedText(decided))}</p>`
    case 'changed':
      return '<p class="say">The plan has changed since this link was sent. A new link was sent for the new plan.</p>'
    case 'used':
      return '<p class="say">A decision was made with this link before.</p>'
    case 'blocked':
      return '<p class="say">Too many wrong codes were given: this link can decide nothing any more.</p>'
  }
}

export function decidedText(decided: LinkView['decided']): string {
  if (decided === undefined) return 'This has been decided already.'
  const by = decided.by === null ? '' : ` by ${decided.by}`
  return `Already decided${by} at ${decided.at.slice(0, 16).replace('T', ' ')} UTC: ${decided.status}.`
}

function detailTable(details: LinkDetails): string {
  const rows: [string, string | null][] = [
    ['Step', details.step],
    ['Operation', details.operator],
    ['Environment', details.environment],
    ['Risk', details.risk],
    ['Targets', details.targets.join(', ')],
    ['Connection', details.connection],
    ['Requested by', details.requested_by],
    ['Reason', details.reason],
    ['Why a person is asked', details.because.join('; ')],
    ['Expires', details.expires_at],
    ['Run', details.run_id],
    ['Plan', details.plan_hash],
  ]
  const shown = rows.filter(([, value]) => value !== null && value !== '')
  return [
    `<p>${escapeHtml(details.summary)}</p>`,
    details.command === null ? '' : `<pre>${escapeHtml(details.command)}</pre>`,
    `<table>${shown.map(([label, value]) => `<tr><th scope="row">${label}</th><td>${escapeHtml(value ?? '')}</td></tr>`).join('')}</table>`,
  ].join('\n')
}

/** Nothing is chosen beforehand, and the form cannot be sent by whoever knows only the link. */
function form(view: LinkView, canSignIn: boolean): string {
  if (view.login_required && !canSignIn)
    return '<p class="say">The rule of this gate asks who decides, and nobody can sign in here: use the console or the command line.</p>'
  const note = { always: ' (needed)', reject: ' (needed to reject)', none: '' }[view.details?.note_needed ?? 'none']
  const proof = view.login_required
    ? `<label>Mail address <input type="email" name="email" autocomplete="username" required></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>`
    : '<label>Code from the message that brought you here <input type="text" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="12" required></label>'
  const show =
    view.login_required && view.details === undefined
      ? '<p><button type="submit" name="decision" value="">Sign in and show</button></p>'
      : `<label><input type="radio" name="decision" value="approve" required> Approve</label>
<label><input type="radio" name="decision" value="reject" required> Reject</label>
<label>Note${note} <textarea name="note" rows="3" maxlength="4000"></textarea></label>`
  const send =
    view.login_required && view.details === undefined ? '' : '<p><button type="submit">Send the decision</button></p>'
  return `<form method="post" autocomplete="off">
<fieldset><legend>Your decision</legend>
<input type="hidden" name="nonce" value="${escapeHtml(view.nonce)}">
${proof}
${show}
${send}
</fieldset>
</form>`
}

function page(title: string, parts: string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${parts.filter((part) => part !== '').join('\n')}
</body>
</html>
`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
