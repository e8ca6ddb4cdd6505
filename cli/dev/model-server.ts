import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Script, type ScriptedAnswer, scriptedAnswer } from './scripted-answer.ts'
import { serveOnLoopback } from './serve-on-loopback.ts'

const DIMENSIONS = 512

/** Makes a vector of the frequencies of three-letter sequences, so that texts with common letters are near each other, even when misspelt. */
function scriptedVector(text: string): number[] {
  const vector = Array<number>(DIMENSIONS).fill(0)
  const letters = ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
  for (let at = 0; at + 3 <= letters.length; at += 1) {
    const place = placeOf(letters.slice(at, at + 3))
    vector[place] = (vector[place] ?? 0) + 1
  }
  return vector
}

/** FNV-1a. */
function placeOf(letters: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < letters.length; at += 1) hash = Math.imul(hash ^ letters.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % DIMENSIONS
}

/** Behaviours of scripted models, by name. Any other name only answers. */
export const SCRIPTED_MODELS = {
  echo: 'repeats the last message, as far as max_tokens go; calls the first tool, and answers JSON, where it is asked to',
  script: 'does what a block ```script in the question says: [{"calls": [{"name", "arguments"}]}, {"say": "…"}]',
  lookup: 'answers a question to svc ask: looks up runs, steps and gates with its tools, and cites them',
  slow: 'takes a second for the whole, or a tenth of one for each word',
  hang: 'takes the request and never answers',
  cut: 'begins to answer and cuts the connection',
  'lies-high': 'says that it took a million times what it took',
  'lies-low': 'says that it took nothing',
  'no-usage': 'does not say what it took',
  refuses: 'answers 400',
  'bad-key': 'answers 401',
  busy: 'answers 429',
  'busy-once': 'answers 429 the first time, and then as it should',
  broken: 'answers 500',
  late: 'answers 408, when it may have done the work',
  letters: 'makes vectors in which texts that share their letters are near each other',
  fits: 'answers JSON that fits the schema it is given',
  'fits-second': 'answers JSON that does not fit, and then JSON that does',
  'never-fits': 'answers JSON that does not fit',
  hostile: 'proposes to delete everything',
  declines: 'refuses to answer',
  'hang-once': 'never answers the first time, and then with JSON that fits',
  triage: 'says what ails a demo service, quotes its health, and proposes what to do',
  'makes-up': 'does the same, and quotes what nobody has said',
} as const

const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).min(1),
  max_tokens: z.int().min(1).nullish(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.unknown() }).optional() })
    .optional(),
})
type Body = z.infer<typeof Body>

export interface ModelServer {
  /** base url, as clients of OpenAI take it */
  url: string
  /** requests so far, by model */
  received(): Record<string, number>
  stop(): Promise<void>
}

const STATUSES: Record<string, number> = { refuses: 400, 'bad-key': 401, busy: 429, broken: 500, late: 408 }

/** Starts an OpenAI-compatible server whose models are scripts: for tests, demos, and trying a deployment without a provider. */
export async function startModelServer(options: { port?: number; script?: Script } = {}): Promise<ModelServer> {
  const received: Record<string, number> = {}
  const server = createServer((request, response) => {
    answer(request, response, { received, script: options.script }).catch((error: unknown) =>
      fail(response, 400, String(error)),
    )
  })
  const { url, stop } = await serveOnLoopback(server, options.port)
  return { url: `${url}/v1`, received: () => ({ ...received }), stop }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { received, script }: { received: Record<string, number>; script: Script | undefined },
): Promise<void> {
  const path = request.url?.split('?', 1)[0]
  if (request.method === 'GET' && path === '/v1/models') {
    const data = Object.keys(SCRIPTED_MODELS).map((id) => ({ id, object: 'model', created: 0, owned_by: 'svc' }))
    return send(response, { object: 'list', data })
  }
  if (request.method === 'POST' && path === '/v1/embeddings')
    return answerVectors(response, await json(request), received)
  if (request.method !== 'POST' || path !== '/v1/chat/completions') return fail(response, 404, 'there is nothing here')
  const body = Body.parse(await json(request))
  const count = (received[body.model] ?? 0) + 1
  received[body.model] = count
  const status = body.model === 'busy-once' && count === 1 ? 429 : STATUSES[body.model]
  if (status !== undefined) return fail(response, status, `scripted to answer ${status}`)
  if (body.model === 'hang' || (body.model === 'hang-once' && count === 1)) return
  const answer = scriptedAnswer(body, script)
  if (body.stream === true) return await stream(response, body, answer)
  if (body.model === 'slow') await sleep(1_000)
  if (body.model === 'cut')
    return void response.writeHead(200, { 'content-length': '100' }).end('{', () => response.destroy())
  const declines = body.model === 'declines'
  const message = {
    role: 'assistant',
    content: answer.tools.length > 0 || declines ? null : answer.text,
    ...(declines && { refusal: 'I cannot help with that.' }),
    ...(answer.tools.length > 0 && {
      tool_calls: answer.tools.map((tool, index) => ({ id: `call_${index + 1}`, type: 'function', function: tool })),
    }),
  }
  const choices = [{ index: 0, message, finish_reason: declines ? 'content_filter' : endingOf(answer) }]
  send(response, { ...head(body), object: 'chat.completion', choices, ...(answer.usage && { usage: answer.usage }) })
}

const Texts = z.looseObject({
  model: z.string(),
  input: z.array(z.string()).or(z.string().transform((text) => [text])),
})

function answerVectors(response: ServerResponse, body: unknown, received: Record<string, number>): void {
  const { model, input } = Texts.parse(body)
  received[model] = (received[model] ?? 0) + 1
  const status = STATUSES[model]
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: scriptedVector(text) }))
  const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0)
  if (status !== undefined) fail(response, status, `scripted to answer ${status}`)
  else send(response, { object: 'list', model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } })
}

async function stream(response: ServerResponse, body: Body, answer: ScriptedAnswer): Promise<void> {
  const { text, tools, usage } = answer
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event(response, { ...head(body), object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
  chunk({ role: 'assistant', content: '' })
  for (const word of text.split(/(?<=\s)/)) {
    if (response.destroyed) return
    if (word !== '') chunk({ content: word })
    if (body.model === 'slow') await sleep(100)
    if (body.model === 'cut') return void response.write('\n', () => response.destroy())
  }
  for (const [index, { name, arguments: args }] of tools.entries()) {
    const id = `call_${index + 1}`
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
    chunk({ tool_calls: [{ index, function: { arguments: args } }] })
  }
  chunk({}, endingOf(answer))
  if (usage && body.stream_options?.include_usage)
    event(response, { ...head(body), object: 'chat.completion.chunk', choices: [], usage })
  response.end('data: [DONE]\n\n')
}

function endingOf({ tools, cut = false }: ScriptedAnswer): string {
  if (cut) return 'length'
  return tools.length > 0 ? 'tool_calls' : 'stop'
}

function head({ model }: Body) {
  return { id: 'chatcmpl-scripted', created: 0, model }
}

function event(response: ServerResponse, body: object): void {
  response.write(`data: ${JSON.stringify(body)}\n\n`)
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function fail(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '0' }) })
  response.end(JSON.stringify({ error: { message, type: 'scripted', param: null, code: null } }))
}
