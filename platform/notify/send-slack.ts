import { type Logger, LogLevel, WebAPIPlatformError, WebClient } from '@slack/web-api'
import type { JsonObject } from '#core/json.ts'
import type { Delivery, GateNotice, Recipient, SlackChannel } from '#core/notify/types.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { type SlackMessage, slackMessage, slackReply } from './slack-blocks.ts'
import { slackFailure } from './slack-failure.ts'
import { slackFetch } from './slack-fetch.ts'

export interface SlackSenderDeps {
  egress: EgressClient
  /** throws `not_configured` */
  secret(reference: string): string
  timeout_ms: number
}

/** Where the message of a gate stands. */
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
export async function sendSlack(
  deps: SlackSenderDeps,
  channel: SlackChannel,
  recipient: Recipient,
  notice: GateNotice,
  previous?: JsonObject,
): Promise<Delivery> {
  const client = slackClient(deps, channel)
  const root = postedAt(previous)
  const anew = async (): Promise<Delivery> => ({
    ok: true,
    reference: await post(client, recipient.address, slackMessage(channel.name, notice)),
  })
  try {
    return root === undefined ? await anew() : await join(client, root, channel, notice)
  } catch (error) {
    if (root === undefined || !isGone(error)) return slackFailure(error)
    return await anew().catch(slackFailure)
  }
}

async function join(client: WebClient, root: Posted, channel: SlackChannel, notice: GateNotice): Promise<Delivery> {
  if (notice.kind === 'svc.gate.resolved') {
    await client.chat.update({ ...root, ...slackMessage(channel.name, notice), ...LITERAL })
  }
  await post(client, root.channel, slackReply(notice), {
    thread_ts: root.ts,
    reply_broadcast: notice.kind === 'svc.gate.escalated',
  })
  return { ok: true, reference: root }
}

/** Somebody deleted the message of the gate: the news gets one of its own. */
function isGone(error: unknown): boolean {
  return error instanceof WebAPIPlatformError && GONE.has(String(error.data.error))
}

const GONE = new Set(['message_not_found', 'thread_not_found', 'cannot_reply_to_message'])

/** The library neither repeats nor waits: the durable handler above does. */
export function slackClient(deps: SlackSenderDeps, channel: SlackChannel): WebClient {
  return new WebClient(deps.secret(channel.token), {
    ...(channel.api_url === undefined ? {} : { slackApiUrl: channel.api_url }),
    fetch: slackFetch(deps.egress),
    timeout: deps.timeout_ms,
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

/** What the library would print carries texts of others; failures are answered, not printed. */
const SILENT: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
}
