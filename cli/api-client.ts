import { randomUUID } from 'node:crypto'
import { createParser } from 'eventsource-parser'
import { DomainError } from '#core/errors.ts'
import type { HaltDraft, HaltRecord } from '#core/halt/schema.ts'
import type { ApprovalOutcome, PendingApproval } from '#core/run/approval-schema.ts'
import { ApiProblem } from './api-problem.ts'
import type {
  Account,
  AlertResult,
  CreatedSchedule,
  Decision,
  Run,
  RunEvent,
  RunRequest,
  Schedule,
  Token,
} from './api-types.ts'

/** the server sends something every 15 s; a connection that is silent for longer is dead */
const SILENCE_MS = 45_000
/** asked without a token: it may be the old one that a login replaces */
const PUBLIC = new Set(['/healthz', '/token'])

export interface ApiClientOptions {
  /** without a slash at its end */
  url: string
  /** the workspace to work in; the caller's own when undefined */
  workspace: string | undefined
  /** bearer token, read when it is needed; undefined when there is none */
  token(): Promise<string | undefined>
}

/** How a stream of events came to its end. */
export type StreamEnd = 'run ended' | 'enough' | 'cut'

/** The API as the command line uses it. Throws `ApiProblem` when it refuses, `dependency_unavailable` when nobody answers. */
export function createApiClient({ url, workspace, token }: ApiClientOptions) {
  async function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const bearer = PUBLIC.has(path) || headers.has('authorization') ? undefined : await token()
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
    if (workspace !== undefined && !PUBLIC.has(path)) headers.set('x-svc-workspace', workspace)
    const response = await fetch(`${url}${path}`, { ...init, method, headers }).catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause
      throw unreachable(url, cause)
    })
    if (!response.ok) throw new ApiProblem(response.status, parse(await response.text()))
    return response
  }

  async function call<Body>(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const response = await send(method, path, {
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return parse(await response.text()) as Body
  }

  /** What creates or decides carries a key, so that it may be sent again when the connection breaks. */
  async function once<Body>(path: string, body: object): Promise<Body> {
    const headers = { 'idempotency-key': randomUUID() }
    try {
      return await call<Body>('POST', path, body, headers)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return await call<Body>('POST', path, body, headers)
    }
  }

  return {
    url,
    health: () => call<{ status: string }>('GET', '/healthz'),
    run: (id: string) => call<Run>('GET', `/runs/${encodeURIComponent(id)}`),
    start: (pack: string, template: string, request: RunRequest) =>
      once<Run>(`/packs/${encodeURIComponent(pack)}/${encodeURIComponent(template)}/run`, request),
    pendingApproval: (id: string) => call<PendingApproval>('GET', `/runs/${encodeURIComponent(id)}/pending-approval`),
    resume: (id: string, decision: Decision) =>
      once<ApprovalOutcome>(`/runs/${encodeURIComponent(id)}/resume`, decision),
    alert: (payload: object) => call<{ results: AlertResult[] }>('POST', '/triggers/alert', payload),
    schedules: () => call<Schedule[]>('GET', '/triggers/scheduled?limit=200'),
    createSchedule: (draft: object) => once<CreatedSchedule>('/triggers/scheduled', draft),
    changeSchedule: (id: string, edit: { enabled: boolean }) =>
      call<Schedule>('PATCH', `/triggers/scheduled/${encodeURIComponent(id)}`, edit),
    deleteSchedule: (id: string) =>
      send('DELETE', `/triggers/scheduled/${encodeURIComponent(id)}`).then(() => undefined),
    halts: () => call<HaltRecord[]>('GET', '/console/api/halts'),
    setHalt: (draft: HaltDraft) => once<HaltRecord>('/console/api/halts', draft),
    liftHalt: (id: string) => send('DELETE', `/console/api/halts/${encodeURIComponent(id)}`).then(() => undefined),
    me: () => call<Account>('GET', '/auth/me'),
    async login(username: string, password: string): Promise<Token> {
      const form = new URLSearchParams({ grant_type: 'password', username, password, client_id: 'svc-cli' })
      const response = await send('POST', '/token', { body: form })
      return parse(await response.text()) as Token
    },
    /** revokes exactly this token */
    logout: (bearer: string) =>
      send('POST', '/auth/logout', { headers: { authorization: `Bearer ${bearer}` } }).then(() => undefined),

    /** One connection to a run's events after `afterSeq`; `cut` when it broke before the run ended. */
    async stream(
      id: string,
      afterSeq: number,
      onEvent: (event: RunEvent) => 'go on' | 'enough',
      signal?: AbortSignal,
    ): Promise<StreamEnd> {
      const silence = new AbortController()
      const timer = setTimeout(() => silence.abort(), SILENCE_MS)
      const signals = signal === undefined ? [silence.signal] : [silence.signal, signal]
      try {
        const response = await send('GET', `/runs/${encodeURIComponent(id)}/stream?after_seq=${afterSeq}`, {
          headers: { accept: 'text/event-stream' },
          signal: AbortSignal.any(signals),
        })
        return await readEvents(response, onEvent, () => timer.refresh())
      } catch (error) {
        if (silence.signal.aborted && !signal?.aborted) return 'cut'
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

export type ApiClient = ReturnType<typeof createApiClient>

async function readEvents(
  response: Response,
  onEvent: (event: RunEvent) => 'go on' | 'enough',
  onBytes: () => void,
): Promise<StreamEnd> {
  if (response.body === null) return 'cut'
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let end: StreamEnd | undefined
  const parser = createParser({
    onEvent({ event, data }) {
      if (end !== undefined) return
      if (event === 'end') end = 'run ended'
      else if (onEvent(JSON.parse(data) as RunEvent) === 'enough') end = 'enough'
    },
  })
  while (end === undefined) {
    // a broken connection rejects; what it carried so far is known, so it is the same as an early end
    const { done, value } = await reader.read().catch(() => ({ done: true as const, value: undefined }))
    if (done) return 'cut'
    onBytes()
    parser.feed(value)
  }
  await reader.cancel()
  return end
}

function unreachable(url: string, cause: unknown): DomainError {
  const message = `nothing answers on ${url}: start the service with \`npm start\`, or name another one with SVC_URL`
  return new DomainError('dependency_unavailable', message, {}, { cause })
}

/** A proxy in between may answer with something else than JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return { detail: text.slice(0, 200) || undefined }
  }
}
