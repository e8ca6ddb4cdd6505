import { createHash } from 'node:crypto'
import { type Pill, TONE_COLOURS } from '#core/text/pills.ts'
import { escapeHtml } from '#core/text/text.ts'
import { visible } from '#core/text/visible-text.ts'
import type { ApiContext } from '../context.ts'
import { addressOf } from '../workspace-address.ts'

const TONES = Object.entries(TONE_COLOURS)
const pillRules = (theme: 'light' | 'dark') =>
  TONES.map(([tone, pairs]) => `.${tone}{color:${pairs[theme][0]};background:${pairs[theme][1]}}`).join('')

const STYLE = `
:root{color-scheme:light dark;--foreground:#1c2024;--muted-foreground:#59626f;--background:#fff;--muted:#f3f4f7;--border:#dfe3e9;--input:#8c95a3;--primary:#2b54d4;--on-primary:#fff;--info:#e6effc}
@media(prefers-color-scheme:dark){:root{--foreground:#e6e8eb;--muted-foreground:#a0a9b6;--background:#101216;--muted:#1e2229;--border:#2b313a;--input:#667080;--primary:#86aaff;--on-primary:#0d1330;--info:#142848}}
body{font:16px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:44rem;padding:0 1rem;color:var(--foreground);background:var(--background)}
h1{font-size:1.25rem;line-height:1.3;margin:0 0 .5rem;overflow-wrap:anywhere}h2{font-size:.95rem;margin:1rem 0 .25rem}p{margin:.5rem 0}a{color:var(--primary)}
ul{margin:.25rem 0;padding-left:1.2rem}li{overflow-wrap:anywhere}summary{cursor:pointer;padding:.7rem 0;color:var(--primary)}
table{border-collapse:collapse;width:100%}th{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0;color:var(--muted-foreground);font-weight:500;width:9.5rem}
td{padding:.2rem 0;overflow-wrap:anywhere}pre{margin:.25rem 0;background:var(--muted);padding:.6rem .75rem;border-radius:.4rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
fieldset{border:1px solid var(--border);border-radius:.6rem;margin:1.25rem 0;padding:.75rem 1rem 1rem}legend{font-weight:600}label{display:block;margin:.6rem 0}
input[type=text],input[type=email],input[type=password],textarea{display:block;width:100%;box-sizing:border-box;min-height:44px;font:inherit;padding:.5rem;color:var(--foreground);background:var(--background);border:1px solid var(--input);border-radius:.4rem}
button{font:inherit;font-weight:600;min-height:44px;padding:.5rem 1.3rem;color:var(--on-primary);background:var(--primary);border:0;border-radius:.4rem}
.check{display:flex;align-items:center;gap:.5rem;min-height:44px}.check input,.choices input{width:1.1rem;height:1.1rem;margin:0;flex:none}
.check+button{margin-top:.4rem}form:not(:has([value=approve]:checked)) .sure{display:none}
.choices{display:flex;gap:.6rem}.choices label{flex:1;display:flex;align-items:center;gap:.5rem;min-height:44px;box-sizing:border-box;margin:.4rem 0;padding:0 .8rem;border:1px solid var(--input);border-radius:.4rem}
.choices label:focus-within{border-color:var(--primary);background:var(--info)}
.facts{color:var(--muted-foreground)}.say{border-left:4px solid var(--primary);padding:.5rem 1rem;background:var(--info)}
.pill{display:inline-block;padding:.1rem .6rem;border-radius:999px;font-size:.8rem;font-weight:500;white-space:nowrap}${pillRules('light')}
@media(prefers-color-scheme:dark){${pillRules('dark')}}
@media(max-width:32rem){body{margin:.5rem auto}fieldset{margin:.75rem 0;padding:.5rem .75rem .75rem}th,td{display:block;width:auto;padding:0}th{padding-top:.5rem}button{width:100%}}
@media(max-width:32rem) and (min-height:30rem){:root:has(.answer){scroll-padding-bottom:12rem}body:has(.answer){padding-bottom:12rem}
.answer{position:fixed;inset:auto 0 0;padding:.25rem 1rem .75rem;background:var(--background);border-top:1px solid var(--border)}
:root:has(.sure):has([value=approve]:checked){scroll-padding-bottom:17rem}body:has(.sure):has([value=approve]:checked){padding-bottom:17rem}}
`

/** A page runs no script, loads nothing, and submits forms to its own origin only. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Pages are stored nowhere on the way, and not indexed by search engines. */
export const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  vary: 'Accept, Authorization, Cookie',
} as const

export const HTML = { 'content-type': 'text/html; charset=utf-8' } as const

/** The page reloads itself at once from `reload_from`. */
export function page(title: string, parts: string[], reload_from?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${visibleHtml(title)}</title>${reload_from === undefined ? '' : `\n<meta http-equiv="refresh" content="0;url=${visibleHtml(reload_from)}">`}
<style>${STYLE}</style>
</head>
<body>
<main>
${parts.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`
}

export function factTable(facts: readonly { label: string; value: string }[]): string {
  const rows = facts.map(
    ({ label, value }) => `<tr><th scope="row">${visibleHtml(label)}</th><td>${visibleHtml(value)}</td></tr>`,
  )
  return rows.length === 0 ? '' : `<table>${rows.join('')}</table>`
}

/** Renders a word with its shape and colour, as the console shows it. */
export function pillHtml({ tone, symbol, text }: Pill): string {
  return `<span class="pill ${tone}"><span aria-hidden="true">${symbol}</span> ${visibleHtml(text)}</span>`
}

/** Renders a message about the last try, or a notice. */
export function say(text: string, role?: 'alert' | 'status'): string {
  return `<p class="say"${role === undefined ? '' : ` role="${role}"`}>${visibleHtml(text)}</p>`
}

export function visibleHtml(text: string): string {
  return escapeHtml(visible(text))
}

/** Browsers get pages, other clients data. */
export function wantsPage(c: ApiContext): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}

export function showPage(c: ApiContext, html: string, status: 200 | 400 | 404 | 503 = 200): Response {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value)
  c.header('content-security-policy', PAGE_POLICY)
  return c.body(html, status, HTML)
}

/**
 * Sends a browser to the console's page at the path of the request, which asks for a sign-in where one is needed. The address is relative:
 * that of a proxy may have a path of its own.
 */
export function toConsole(c: ApiContext): Response {
  const { path, workspace_id } = addressOf(c.get('full_path'))
  const up = '../'.repeat(c.get('full_path').split('/').length - 2)
  const workspace = workspace_id === undefined ? '' : `?workspace=${encodeURIComponent(workspace_id)}`
  c.header('vary', PAGE_HEADERS.vary)
  return c.redirect(`${up}console${path}${workspace}`, 303)
}

/** The only cast for pages: a browser requested one, and the types of a route only know programs' answers. */
export function inPlaceOfData(response: Response): never {
  return response as never
}
