import { type Logger, LogLevel, WebAPIPlatformError, WebClient } from '@slack/web-api'
import { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import type { Notice, SendResult } from '#core/notify/types.ts'
import { type ChannelPorts, defineChannelKind, type Message } from '../channel-kind.ts'
import {
  ChannelName,
  HttpUrl,
  MaxPerMinute,
  RotatingSecret,
  recipientName,
  SecretReference,
} from '../channel-settings.ts'
import { type SlackMessage, slackMessage, slackReply } from '../slack-blocks.ts'
import { createSlackChat } from '../slack-chat.ts'
import { slackFailure } from '../slack-failure.ts'
import { slackFetch, verifySlackSignature } from '../slack-fetch.ts'

const Settings = z.strictObject({
  name: ChannelName,
  kind: z.literal('slack'),
  channel: z.string().regex(/^(#[^\s#<>@]{1,80}|[CDG][A-Z0-9]{2,20})$/, 'a conversation: #name or its id'),
  token: SecretReference,
  signing_secret: RotatingSecret,
  // base of the Web API of a self-hosted gateway
  api_url: HttpUrl.exactOptional(),
  max_per_minute: MaxPerMinute.exactOptional(),
})
export type SlackSettings = z.output<typeof Settings>

export const slack = defineChannelKind({
  kind: 'slack',
  settings: Settings,
  max_per_minute: 10,
  edits: true,
  secrets: ({ token, signing_secret }) => [token, signing_secret].flat(),
  // conversations of two workspaces may have one name: the token tells them apart
  addresses: ({ channel, token, api_url }) => [recipientName(channel, JSON.stringify([api_url ?? null, token]))],
  host: ({ api_url = 'https://slack.com' }) => new URL(api_url).hostname,
  send,
  chat: {
    verify: ({ secret, now }, { signing_secret }, headers, body) =>
      verifySlackSignature([signing_secret].flat().map(secret), headers, body, now()),
    open: (ports, settings, dialog) => createSlackChat(() => slackClient(ports, settings), dialog),
  },
})

/** The place of a gate's message. */
interface Posted extends JsonObject {
  channel: string
  ts: string
}

interface Thread {
  thread_ts: string
  reply_broadcast: boolean
}

/** Nothing in a text turns into a mention or a link. */
const LITERAL = { parse: 'none', link_names: false } as const

/**
 * Posts a notice. `previous` is the `reference` of the message that opened the gate: reminders are replies to it, and a decision
 * takes its buttons away.
 */
async function send(ports: ChannelPorts, channel: SlackSettings, { notice, previous }: Message): Promise<SendResult> {
  const client = slackClient(ports, channel)
  const root = postedAt(previous)
  const sendAgain = async (): Promise<SendResult> => ({
    ok: true,
    reference: await post(client, channel.channel, slackMessage(channel.name, notice)),
  })
  try {
    return root === undefined ? await sendAgain() : await join(client, root, channel, notice)
  } catch (error) {
    if (root === undefined || !isDeleted(error)) return slackFailure(error, ports.now())
    return await sendAgain().catch((failed: unknown) => slackFailure(failed, ports.now()))
  }
}

async function join(client: WebClient, root: Posted, channel: SlackSettings, notice: Notice): Promise<SendResult> {
  if (CHANGING.has(notice.kind)) {
    await client.chat.update({ ...root, ...slackMessage(channel.name, notice), ...LITERAL })
  }
  if (notice.kind === 'svc.digest.changed') return { ok: true, reference: root }
  await post(client, root.channel, slackReply(notice), {
    thread_ts: root.ts,
    // important replies also go to the conversation
    reply_broadcast: BROADCAST.has(notice.kind),
  })
  return { ok: true, reference: root }
}

/** What changes the first message: a decision takes its buttons away, and a digest is kept up to date. */
const CHANGING: ReadonlySet<string> = new Set([
  ...['svc.gate.resolved', 'svc.halt.lifted', 'svc.digest.sent', 'svc.digest.changed'],
])

const BROADCAST: ReadonlySet<string> = new Set([
  ...['svc.gate.escalated', 'svc.run.failed', 'svc.halt.refused', 'svc.digest.sent'],
])

/** A user deleted the message of the gate: the update becomes a new one. */
function isDeleted(error: unknown): boolean {
  return error instanceof WebAPIPlatformError && DELETED.has(String(error.data.error))
}

const DELETED = new Set(['message_not_found', 'thread_not_found', 'cannot_reply_to_message'])

/** The library neither repeats nor waits: the durable handler above does. */
function slackClient(ports: ChannelPorts, channel: SlackSettings): WebClient {
  return new WebClient(ports.secret(channel.token), {
    ...(channel.api_url !== undefined && { slackApiUrl: channel.api_url }),
    fetch: slackFetch(ports.egress),
    timeout: ports.timeout_ms,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: SILENT,
  })
}

async function post(client: WebClient, channel: string, message: SlackMessage, thread?: Thread): Promise<Posted> {
  const draft = { channel, ...message, ...LITERAL, unfurl_links: false, unfurl_media: false }
  const answer = await client.chat.postMessage(thread === undefined ? draft : { ...draft, ...thread })
  return { channel: answer.channel ?? channel, ts: answer.ts ?? '' }
}

function postedAt(reference: JsonObject | undefined): Posted | undefined {
  const { channel, ts } = reference ?? {}
  return typeof channel === 'string' && typeof ts === 'string' && ts !== '' ? { channel, ts } : undefined
}

/** The library's own log would contain foreign texts; failures are returned, not printed. */
const SILENT: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
}
