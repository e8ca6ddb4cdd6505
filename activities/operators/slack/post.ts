import { isObject, type JsonObject } from '#core/json/json.ts'
import { type Connection, defineOperator, type Operator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { cutText } from '#core/text/text.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { curlLine } from '../http/curl-line.ts'
import { httpOutputs } from '../http/outputs.ts'
import { credentialsOf, unknownIfSent, urlBelow } from '../http/target.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { SlackPostInput } from './schema.ts'

const MAX_BYTES = 256 * 1024
const HEADERS = { 'content-type': 'application/json; charset=utf-8' }
/** Errors after which Slack may have acted (docs.slack.dev, errors of `chat.postMessage`). */
const UNCERTAIN = new Set(['fatal_error', 'internal_error'])
const PASSING = new Set(['ratelimited', 'rate_limited', 'service_unavailable', 'request_timeout', 'team_added_to_org'])
const NO_LOGIN = new Set(
  'not_authed invalid_auth account_inactive token_revoked token_expired no_permission missing_scope not_allowed_token_type'.split(
    ' ',
  ),
)

/** Creates `slack.post`: posts one message. Slack does not recognise a repetition, so after a lost answer a person is asked. */
export function createSlackPost({ egress }: { egress: EgressClient }): Operator {
  return defineOperator<SlackPostInput>({
    id: 'slack.post',
    version: 1,
    title: 'Post to Slack',
    risk: 'medium',
    action_type: 'message.send',
    capabilities: ['chat.post'],
    requires_approval: false,
    ...operatorInput(SlackPostInput),
    replay: () => 'ask',
    connection: ({ connection }) => connection,
    applyConnection(input, connection) {
      methodUrl(input.connection, connection, 'chat.postMessage')
      return input
    },
    describe: (input, { connection }) => ({
      summary: `post to ${input.channel} through ${connectionText(input.connection, connection?.target)}: ${cutText(input.text, 200)}`,
      targets: { kind: 'slack', ids: [input.channel] },
      ...(connection === undefined
        ? {}
        : {
            command: curlLine({
              method: 'POST',
              url: methodUrl(input.connection, connection, 'chat.postMessage'),
              headers: HEADERS,
              credentials: connection.id,
              body: JSON.stringify(messageOf(input)),
            }),
          }),
    }),
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const url = methodUrl(input.connection, await ctx.connection(input.connection), 'chat.postMessage')
        const { addresses } = await egress.resolve({ url, egress: ctx.environment.egress, signal: ctx.signal })
        return {
          ok: true,
          summary: `would post to ${input.channel}`,
          details: { message: messageOf(input), addresses },
        }
      }),
    testConnection: async (ctx, connection) =>
      void (await call(egress, ctx, { connection, method: 'auth.test', body: {} })),
    async execute(ctx, input) {
      const body = messageOf(input)
      const answer = await call(egress, ctx, { connection: input.connection, method: 'chat.postMessage', body })
      const { channel, ts } = answer
      if (typeof channel !== 'string' || typeof ts !== 'string') throw notSlack()
      return { outputs: { channel, ts } }
    },
  })
}

/** Nothing in a text turns into a mention or a link, and no page is fetched to be shown. */
function messageOf({ connection: _connection, ...message }: SlackPostInput): JsonObject {
  return { ...message, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false }
}

async function call(
  egress: EgressClient,
  ctx: OperatorContext,
  { connection: id, method, body }: { connection: string; method: string; body: JsonObject },
): Promise<JsonObject> {
  const connection = await ctx.connection(id)
  const response = await egress
    .request({
      method: 'POST',
      url: methodUrl(id, connection, method),
      headers: { ...HEADERS, ...credentialsOf(connection) },
      body: Buffer.from(JSON.stringify(body)),
      egress: ctx.environment.egress,
      max_bytes: MAX_BYTES,
      signal: ctx.signal,
      beforeSending: () => ctx.beforeSending(),
    })
    .catch((error: unknown) => {
      throw unknownIfSent(error)
    })
  const { status, headers, retry_after_ms } = response
  if (status !== 200) {
    const waits = status === 429 || (status === 503 && headers['retry-after'] !== undefined)
    throw new OperatorError('http_status', `Slack answered ${status}`, {
      retryable: waits,
      unknown_outcome: status >= 500 && !waits,
      retry_after_ms,
      details: { status },
    })
  }
  const { json } = httpOutputs(response, MAX_BYTES)
  if (!isObject(json) || typeof json['ok'] !== 'boolean') throw notSlack()
  if (!json['ok']) throw refused(json)
  return json
}

/** Slack's errors are identifiers. */
function refused({ error, needed }: JsonObject): OperatorError {
  const code = typeof error === 'string' && /^[a-z0-9_]{1,80}$/.test(error) ? error : undefined
  if (code === undefined) return notSlack()
  const scope = typeof needed === 'string' && /^[a-z:.,_]{1,200}$/.test(needed) ? ` (it needs ${needed})` : ''
  if (UNCERTAIN.has(code)) {
    const message = `Slack failed, and may have posted the message: ${code}`
    return new OperatorError('connection_lost', message, { unknown_outcome: true, details: { error: code } })
  }
  const details = { error: code }
  return new OperatorError(NO_LOGIN.has(code) ? 'login_refused' : 'message_refused', `Slack refuses: ${code}${scope}`, {
    retryable: PASSING.has(code),
    details,
  })
}

function notSlack(): OperatorError {
  const message = 'the target does not answer as Slack does, so it is not known whether it posted the message'
  return new OperatorError('answer_invalid', message, { unknown_outcome: true })
}

function methodUrl(id: string, connection: Connection, method: string): string {
  return urlBelow(connection, id, method)
}
