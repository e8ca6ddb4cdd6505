import type { ChatPostMessageArguments } from '@slack/web-api'
import { asksForAnswer, noticeMessage } from '#core/notify/message.ts'
import { isAboutRun, type Notice, type NoticeMessage } from '#core/notify/types.ts'
import { slackText } from '#core/text/slack-text.ts'

/** A block of code that its content cannot close: a backtick after a backtick is shown as its escape. */
export function slackCode(text: string, max: number): string {
  const fence = '```'
  const unbroken = text.replace(/(?<=`)`/g, '\\u{60}')
  const room = max - 2 * fence.length - 2
  const fits = slackText(unbroken, Number.POSITIVE_INFINITY).length <= room
  // an ellipsis alone could be a part of it
  const mark = fits ? '' : ' (cut)'
  return `${fence}\n${slackText(unbroken, room - mark.length)}${mark}\n${fence}`
}

/** Limits of Block Kit, in characters. */
const LIMIT = { header: 150, section: 3_000, field: 2_000, fields: 10, url: 3_000, value: 2_000 } as const

type SlackBlock = Extract<ChatPostMessageArguments, { blocks: unknown }>['blocks'][number]

type ActionElement = Extract<SlackBlock, { type: 'actions' }>['elements'][number]

export interface SlackMessage {
  /** the text of a push notification and of a screen reader */
  text: string
  blocks: SlackBlock[]
}

/** A notice as the message of its gate. Buttons are there while the gate is open. */
export function slackMessage(channel: string, notice: Notice): SlackMessage {
  const message = noticeMessage(notice)
  return {
    text: fallback(message),
    blocks: [
      { type: 'header', text: plain(message.title, LIMIT.header) },
      ...outcomeBlocks(message),
      ...section(message.summary),
      ...(message.command === undefined ? [] : [code(message.command)]),
      ...section(bullets(message.listed ?? [])),
      ...factBlocks(message),
      ...message.evidence.flatMap(({ title, excerpt }) => [...section(`Found before: ${title}`), code(excerpt)]),
      ...(message.because.length === 0 ? [] : section(`Why approval is needed:\n${bullets(message.because)}`)),
      ...actions(channel, notice),
    ],
  }
}

/** A notice as a short reply under the message of its gate. */
export function slackReply(notice: Notice): SlackMessage {
  const message = noticeMessage(notice)
  return {
    text: fallback(message),
    blocks: [
      ...section(message.title),
      ...outcomeBlocks(message),
      ...(!isAboutRun(notice) || notice.ended !== undefined ? section(message.summary) : []),
    ],
  }
}

function outcomeBlocks({ outcome, note }: NoticeMessage): SlackBlock[] {
  if (outcome === undefined) return []
  return section(note === undefined ? outcome : `${outcome}\nNote: ${note}`)
}

function factBlocks({ facts }: NoticeMessage): SlackBlock[] {
  const fields = facts.map(({ label, value }) => plain(`${label}\n${value}`, LIMIT.field))
  const count = Math.ceil(fields.length / LIMIT.fields)
  return Array.from({ length: count }, (_, at) => ({
    type: 'section',
    fields: fields.slice(at * LIMIT.fields, (at + 1) * LIMIT.fields),
  }))
}

/** Plain text has no markup: mentions and formatting in an alert have no effect. */
function plain(text: string, max: number) {
  return { type: 'plain_text' as const, text: slackText(text, max), emoji: false }
}

function section(text: string): SlackBlock[] {
  return text === '' ? [] : [{ type: 'section', text: plain(text, LIMIT.section) }]
}

function code(command: string): SlackBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: slackCode(command, LIMIT.section), verbatim: true } }
}

function bullets(lines: string[]): string {
  return lines.map((line) => `• ${line}`).join('\n')
}

function fallback({ title, outcome, summary }: NoticeMessage): string {
  return slackText(
    [title, outcome, summary].filter((part) => part !== undefined && part !== '').join(' · '),
    LIMIT.section,
  )
}

function actions(channel: string, notice: Notice): SlackBlock[] {
  if (!isAboutRun(notice)) return buttons([{ ...button('Open', 'gate.open'), url: notice.links.console }])
  const { links, gate_id, kind } = notice
  const isOpen = gate_id !== null && asksForAnswer(notice) && kind.startsWith('svc.gate.')
  const value = JSON.stringify({ run_id: notice.run_id, gate_id, plan_hash: notice.plan_hash, channel })
  const decisions: ActionElement[] =
    isOpen && value.length <= LIMIT.value
      ? [
          { ...button('Approve', 'gate.approve'), style: 'primary' as const, value },
          { ...button('Reject', 'gate.reject'), style: 'danger' as const, value },
        ]
      : []
  const url = [isOpen ? links.approve : undefined, links.console, links.run].find(isLink)
  return buttons([
    ...decisions,
    ...(url === undefined ? [] : [{ ...button('Open', 'gate.open'), url }]),
    ...(isLink(links.alert) ? [{ ...button('Alert', 'alert.open'), url: links.alert }] : []),
  ])
}

function buttons(elements: ActionElement[]): SlackBlock[] {
  return elements.length === 0 ? [] : [{ type: 'actions', elements }]
}

function button(text: string, action_id: string) {
  return { type: 'button' as const, action_id, text: { type: 'plain_text' as const, text, emoji: false } }
}

function isLink(url: string | undefined): url is string {
  return url !== undefined && url.length <= LIMIT.url && /^https?:\/\/\S+$/i.test(url)
}
