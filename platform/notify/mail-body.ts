import { oneLine } from '#core/notify/clean-text.ts'
import { type NoticeMessage, noticeMessage } from '#core/notify/message.ts'
import type { GateNotice } from '#core/notify/types.ts'

const SUBJECT_CHARS = 200

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
export function mailBody(notice: GateNotice): MailBody {
  const message = noticeMessage(notice)
  const links = linksOf(notice)
  const subject = [message.title, message.summary].filter((part) => part !== '').join(' · ')
  return { subject: oneLine(subject, SUBJECT_CHARS), text: plainText(message, links), html: htmlText(message, links) }
}

function linksOf({ links, resolution }: GateNotice): Link[] {
  const all: [string, string | undefined][] = [
    ['Look and decide', resolution === undefined ? links.approve : undefined],
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
    message.facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    message.command === undefined ? undefined : `Command:\n${indented(message.command)}`,
    message.because.length === 0
      ? undefined
      : `Why a person is asked:\n${message.because.map((each) => `- ${each}`).join('\n')}`,
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

function htmlText(message: NoticeMessage, links: Link[]): string {
  const rows = message.facts.map(
    ({ label, value }) => `<tr><th align="left">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
  )
  const parts = [
    `<h2>${escapeHtml(message.title)}</h2>`,
    message.outcome === undefined ? '' : `<p><strong>${escapeHtml(message.outcome)}</strong></p>`,
    message.note === undefined ? '' : `<p>Note: ${escapeHtml(message.note)}</p>`,
    `<p>${escapeHtml(message.summary)}</p>`,
    `<table cellpadding="4">${rows.join('')}</table>`,
    message.command === undefined ? '' : `<pre>${escapeHtml(message.command)}</pre>`,
    message.because.length === 0
      ? ''
      : `<p>Why a person is asked:</p><ul>${message.because.map((each) => `<li>${escapeHtml(each)}</li>`).join('')}</ul>`,
    ...links.map(({ label, url }) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`),
  ]
  return `<!doctype html><html lang="en"><body>${parts.filter((part) => part !== '').join('\n')}</body></html>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
