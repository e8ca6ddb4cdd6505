import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { serveOnLoopback } from '../dev/serve-on-loopback.ts'
import { createDemoMetrics, type DemoMetrics } from './demo-metrics.ts'

export interface DemoState {
  /** why the service is unhealthy; undefined while it is healthy */
  fault: string | undefined
  /** actions that took effect, in order */
  actions: { kind: 'restart' | 'rollback'; key: string | undefined; reason: string | undefined }[]
  /** calls of an action, repetitions included */
  calls: number
  /** idempotency keys, with the number of calls that had each */
  keys: Record<string, number>
  latency_ms: number
}

export interface DemoService {
  url: string
  stop(): Promise<void>
  state(): DemoState
}

type Answer = { status: number; body: Record<string, unknown> | string; type?: string }

/** Starts a small HTTP service with a fault switch: the target of the recovery, which counts the actions on it. */
export async function startDemoService(options: { port?: number } = {}): Promise<DemoService> {
  const state: DemoState = { fault: undefined, actions: [], calls: 0, keys: {}, latency_ms: 0 }
  const answered = new Map<string, Answer>()
  const metrics = createDemoMetrics(() => state.fault === undefined)
  const server = createServer((request, response) => {
    response.once('finish', () => metrics.count(request.method, response.statusCode))
    route(state, answered, metrics, request).then(
      (answer) => setTimeout(() => send(response, answer), state.latency_ms),
      (error: unknown) => send(response, { status: 400, body: { error: String(error) } }),
    )
  })
  const { url, stop } = await serveOnLoopback(server, options.port)
  return { url, state: () => structuredClone(state), stop }
}

async function route(
  state: DemoState,
  answered: Map<string, Answer>,
  metrics: DemoMetrics,
  request: IncomingMessage,
): Promise<Answer> {
  const body = request.method === 'POST' ? await readBody(request) : {}
  switch (`${request.method} ${request.url?.split('?', 1)[0]}`) {
    case 'GET /health':
      return state.fault === undefined
        ? { status: 200, body: { status: 'ok' } }
        : { status: 503, body: { status: 'faulty', reason: state.fault } }
    case 'GET /metrics':
      return { status: 200, body: await metrics.text(), type: metrics.type }
    case 'GET /stats':
      return { status: 200, body: { actions: state.actions, calls: state.calls, keys: state.keys } }
    case 'POST /fault':
      state.fault = text(body.kind) ?? 'out_of_memory'
      return { status: 200, body: { status: 'faulty', reason: state.fault } }
    case 'DELETE /fault':
      state.fault = undefined
      return { status: 200, body: { status: 'ok' } }
    case 'POST /latency':
      state.latency_ms = Number(body.ms ?? 0)
      return { status: 200, body: { latency_ms: state.latency_ms } }
    case 'POST /restart':
      return act(state, answered, request, { kind: 'restart', reason: text(body.reason) })
    case 'POST /rollback':
      return act(state, answered, request, { kind: 'rollback', reason: text(body.reason) })
    default:
      return { status: 404, body: { error: 'not found' } }
  }
}

/** The same key acts once and is answered the same; without a key every call acts. */
function act(
  state: DemoState,
  answered: Map<string, Answer>,
  request: IncomingMessage,
  { kind, reason }: Pick<DemoState['actions'][number], 'kind' | 'reason'>,
): Answer {
  const key = text(request.headers['idempotency-key'])
  state.calls += 1
  if (key !== undefined) state.keys[key] = (state.keys[key] ?? 0) + 1
  const before = key === undefined ? undefined : answered.get(`${kind} ${key}`)
  if (before !== undefined) return before
  state.fault = undefined
  state.actions.push({ kind, key, reason })
  const answer = { status: 200, body: { action: kind, number: state.actions.length } }
  if (key !== undefined) answered.set(`${kind} ${key}`, answer)
  return answer
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (request.headers['content-length'] === '0' || !request.headers['content-type']?.includes('json')) {
    request.resume()
    return {}
  }
  const value: unknown = await json(request)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function send(response: ServerResponse, { status, body, type = 'application/json' }: Answer): void {
  response.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body))
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const service = await startDemoService({ port: Number(process.argv[2] ?? 8080) })
  process.stdout.write(`demo service on ${service.url}; POST /fault makes it ill, POST /restart heals it\n`)
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void service.stop())
}
