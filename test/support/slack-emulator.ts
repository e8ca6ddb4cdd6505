import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { blockFault } from './slack-block-limits.ts'

export interface SlackCall {
  method: string
  args: Record<string, unknown>
  raw: string
}

export interface SlackPost {
  channel: string
  ts: string
  thread_ts?: string
  text: string
  blocks: Record<string, unknown>[]
}

type NextAnswer = { error: string } | { status: number; headers?: Record<string, string>; body?: string }

/** Conversations that exist: by name and by id. */
const CHANNELS = new Map([
  ['#ops', 'C0OPS00001'],
  ['C0OPS00001', 'C0OPS00001'],
])

/** The part of the Slack Web API that chat needs, over real HTTP, as strict as Slack about tokens, conversations and blocks. `members`: id to mail address. */
export async function startSlackEmulator(token: string, members: Record<string, string> = {}) {
  const calls: SlackCall[] = []
  const posts: SlackPost[] = []
  const whispers: { user: string; text: string }[] = []
  const views: Record<string, unknown>[] = []
  let answers: NextAnswer[] = []
  let posted = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => handle(request, response, Buffer.concat(chunks).toString('utf8')))
  })

  function handle(request: IncomingMessage, response: ServerResponse, raw: string): void {
    const method = (request.url ?? '').replace(/^\/api\//, '')
    const args = parseArguments(request.headers['content-type'] ?? '', raw)
    calls.push({ method, args, raw })
    const next = answers.shift()
    if (next !== undefined && 'status' in next) {
      response.writeHead(next.status, next.headers).end(next.body)
      return
    }
    const result = next ?? answerTo(method, args, request.headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify('error' in result ? { ok: false, error: result.error } : { ok: true, ...result }))
  }

  function answerTo(method: string, args: Record<string, unknown>, authorization: string | undefined) {
    if (authorization === undefined) return { error: 'not_authed' }
    if (authorization !== `Bearer ${token}`) return { error: 'invalid_auth' }
    if (method === 'auth.test') return { user_id: 'U0BOT00001' }
    if (method === 'users.info') return memberOf(String(args.user))
    if (method === 'views.open') return openView(args)
    const channel = CHANNELS.get(String(args.channel))
    if (channel === undefined) return { error: 'channel_not_found' }
    const blocks = readBlocks(args.blocks)
    if (blocks === undefined) return { error: 'invalid_blocks_format' }
    if (blocks.some((block) => blockFault(block) !== undefined)) return { error: 'invalid_blocks' }
    if (args.text === undefined && blocks.length === 0) return { error: 'no_text' }
    if (method === 'chat.postEphemeral') {
      whispers.push({ user: String(args.user), text: String(args.text) })
      return { message_ts: '1700000000.000000' }
    }
    if (method === 'chat.postMessage') return post(channel, blocks, args)
    return method === 'chat.update' ? update(channel, blocks, args) : { error: 'unknown_method' }
  }

  function memberOf(id: string) {
    const email = members[id]
    return email === undefined ? { error: 'user_not_found' } : { user: { id, deleted: false, profile: { email } } }
  }

  function openView(args: Record<string, unknown>) {
    const view: unknown = typeof args.view === 'string' ? JSON.parse(args.view) : args.view
    if (typeof view !== 'object' || view === null || args.trigger_id === undefined)
      return { error: 'invalid_arguments' }
    views.push({ ...view })
    return { view: { id: 'V1' } }
  }

  function post(channel: string, blocks: SlackPost['blocks'], args: Record<string, unknown>) {
    const thread = args.thread_ts === undefined ? undefined : String(args.thread_ts)
    if (thread !== undefined && find(channel, thread) === undefined) return { error: 'thread_not_found' }
    posted += 1
    const ts = `1700000000.${String(posted).padStart(6, '0')}`
    posts.push({ channel, ts, text: String(args.text), blocks, ...(thread !== undefined && { thread_ts: thread }) })
    return { channel, ts }
  }

  function update(channel: string, blocks: SlackPost['blocks'], args: Record<string, unknown>) {
    // an update takes the id of a conversation, never its name
    const found = args.channel === channel ? find(channel, String(args.ts)) : undefined
    if (found === undefined) return { error: 'message_not_found' }
    Object.assign(found, { text: String(args.text), blocks })
    return { channel, ts: found.ts, text: found.text }
  }

  function find(channel: string, ts: string): SlackPost | undefined {
    return posts.find((each) => each.channel === channel && each.ts === ts)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    api_url: `http://127.0.0.1:${port}/api/`,
    calls,
    posts,
    /** what only one member sees */
    whispers,
    /** dialogues that were opened */
    views,
    /** what the next calls are answered; then properly again */
    answer(...next: NextAnswer[]): void {
      answers = next
    },
    /** somebody deletes every message */
    forget(): void {
      posts.length = 0
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function parseArguments(contentType: string, raw: string): Record<string, unknown> {
  if (contentType.startsWith('application/json')) return JSON.parse(raw)
  return Object.fromEntries(new URLSearchParams(raw))
}

function readBlocks(value: unknown): Record<string, unknown>[] | undefined {
  if (value === undefined) return []
  try {
    const blocks: unknown = typeof value === 'string' ? JSON.parse(value) : value
    return Array.isArray(blocks) ? blocks : undefined
  } catch {
    return undefined
  }
}
