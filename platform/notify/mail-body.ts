import { oneLine } from '#core/notify/alert-facts.ts'
import { asksForAnswer, noticeMessage } from '#core/notify/message.ts'
import { isAboutRun, type Notice, type NoticeMessage } from '#core/notify/types.ts'
import { type Pill, riskPill, severityPill, statusPill, TONE_COLOURS } from '#core/text/pills.ts'
import { escapeHtml } from '#core/text/text.ts'

const SUBJECT_CHARS = 200
const SEVERITY_CHARS = 40

/** A notice as a mail: subject, plain text and the same as simple HTML without anything remote. */
export interface MailBody {
  subject: string
  text: string
  html: string
}

interface Link {
  label: string
  url: string
}

/** Sets a notice as a mail. Text of others stays text: it is escaped in HTML and cannot add a line to the subject. */
export function mailBody(notice: Notice): MailBody {
  const message = noticeMessage(notice)
  const links = linksOf(notice)
  return {
    subject: oneLine(message.title, SUBJECT_CHARS),
    text: plainText(message, links),
    html: htmlText(message, { links, pills: pillsOf(notice) }),
  }
}

/** How bad it is, how risky, and what has become of it. */
function pillsOf(notice: Notice): Pill[] {
  if (!isAboutRun(notice)) return []
  const { alert, risk, resolution, ended, kind } = notice
  if (kind === 'svc.test') return []
  const status = resolution?.status ?? ended?.status
  return [
    ...(alert === undefined ? [] : [severityPill(oneLine(alert.severity, SEVERITY_CHARS))]),
    riskPill(risk),
    ...(status === undefined ? [] : [statusPill(status)]),
  ]
}

function linksOf(notice: Notice): Link[] {
  const { links } = notice
  const all: [string, string | undefined][] = [
    ['Look and decide', asksForAnswer(notice) ? links.approve : undefined],
    ['Alert', links.alert],
    ['Open in the console', links.console],
    ['Run', links.run],
  ]
  return all.flatMap(([label, url]) => (url !== undefined && /^https?:\/\/\S+$/i.test(url) ? [{ label, url }] : []))
}

function plainText(message: NoticeMessage, links: Link[]): string {
  const parts = [
    message.title,
    message.outcome,
    message.note === undefined ? undefined : `Note: ${message.note}`,
    message.summary,
    message.command === undefined ? undefined : `What will be sent:\n${indented(message.command)}`,
    message.listed?.map((each) => `- ${each}`).join('\n'),
    message.facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    ...message.evidence.map(({ title, excerpt }) => `Found before: ${title}\n${indented(excerpt)}`),
    message.because.length === 0
      ? undefined
      : `Why approval is needed:\n${message.because.map((each) => `- ${each}`).join('\n')}`,
    links.map(({ label, url }) => `${label}: ${url}`).join('\n'),
  ]
  return `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}

function htmlText(message: NoticeMessage, { links, pills }: { links: Link[]; pills: Pill[] }): string {
  const rows = message.facts.map(
    ({ label, value }) =>
      `<tr><th align="left" valign="top" style="${HEAD}">${escapeHtml(label)}</th><td style="${CELL}">${escapeHtml(value)}</td></tr>`,
  )
  const [first, ...others] = links
  const parts = [
    `<h2 style="font-size:18px;line-height:1.35;margin:0 0 12px">${escapeHtml(message.title)}</h2>`,
    pills.length === 0 ? '' : `<p style="margin:0 0 12px">${pills.map(pillHtml).join(' ')}</p>`,
    message.outcome === undefined ? '' : `<p><strong>${escapeHtml(message.outcome)}</strong></p>`,
    message.note === undefined ? '' : `<p>Note: ${escapeHtml(message.note)}</p>`,
    `<p>${escapeHtml(message.summary)}</p>`,
    message.command === undefined ? '' : pre(message.command),
    first === undefined
      ? ''
      : `<p><a href="${escapeHtml(first.url)}" style="${BUTTON}">${escapeHtml(first.label)}</a></p>`,
    message.listed === undefined ? '' : listHtml(message.listed),
    `<table cellpadding="0" cellspacing="0">${rows.join('')}</table>`,
    ...message.evidence.map(({ title, excerpt }) => `<p>Found before: ${escapeHtml(title)}</p>${pre(excerpt)}`),
    message.because.length === 0 ? '' : `<p>Why approval is needed:</p>${listHtml(message.because)}`,
    ...others.map(({ label, url }) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`),
  ]
  const body = parts.filter((part) => part !== '').join('\n')
  return `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width, initial-scale=1"></head><body style="${BODY}">${body}</body></html>`
}

/** Mail programs take styles on the elements themselves, and few others. */
const BODY = 'font:15px/1.5 system-ui,-apple-system,sans-serif;max-width:640px;margin:16px'
const HEAD = 'font-weight:500;color:#666;padding:2px 16px 2px 0;white-space:nowrap'
const CELL = 'padding:2px 0;overflow-wrap:anywhere;word-break:break-word'
const BUTTON =
  'display:inline-block;padding:8px 18px;background:#1257a8;color:#fff;text-decoration:none;border-radius:6px'
const PILL =
  'display:inline-block;padding:2px 10px;border:1px solid;border-radius:999px;font-size:13px;font-weight:500;white-space:nowrap'
const CODE =
  'background:#f4f5f7;color:#1c2024;padding:10px;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.45 monospace'

/** With a ground of its own, so that it can be read on whatever ground a mail program puts it. */
function pillHtml({ tone, symbol, text }: Pill): string {
  const [colour, ground] = TONE_COLOURS[tone].light
  return `<span style="${PILL};color:${colour};background:${ground}">${symbol} ${escapeHtml(text)}</span>`
}

function listHtml(lines: string[]): string {
  return `<ul>${lines.map((each) => `<li>${escapeHtml(each)}</li>`).join('')}</ul>`
}

function pre(text: string): string {
  return `<pre style="${CODE}">${escapeHtml(text)}</pre>`
}
