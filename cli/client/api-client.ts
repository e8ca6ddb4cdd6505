import { createClient, type Query, type Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { bodyOf, done, once } from './api-answers.ts'
import { createApiAsk } from './api-ask.ts'
import { createApiConnections } from './api-connections.ts'
import { createApiLists } from './api-lists.ts'
import { createApiModels } from './api-models.ts'
import { createApiPipelines } from './api-pipelines.ts'
import { ApiProblem } from './api-problem.ts'
import { workspaceIdOf } from './find-named.ts'
import { streamEvents } from './stream-events.ts'

/** called without a token: it may be the old one that a login replaces */
const PUBLIC = new Set<string>(['/healthz', '/token'])
/** called outside of any workspace: this list turns a name into an id */
const OUTSIDE = new Set<string>([...PUBLIC, '/workspaces'])
const LOG_IN = 'Log in with: svc login'
const MAX = 1_000
const PAGING = ['link', 'x-total-count', 'x-total-at-least']

export interface ApiClientOptions {
  /** without a slash at its end */
  url: string
  /** the setting that names it, for when nothing answers there */
  named_by?: string
  /** the workspace to work in, by its id or its name; the caller's own when undefined */
  workspace: string | undefined
  /** bearer token, read when it is needed; undefined when there is none */
  token(): Promise<string | undefined>
  /** advice when the token is refused */
  advice?(): Promise<string>
}

/** The API client of the command line. Throws `ApiProblem` on an error, `dependency_unavailable` without an answer. */
export function createApiClient({ url, named_by, workspace, token, advice }: ApiClientOptions) {
  let workspaceId: Promise<string> | undefined
  const client = createClient({
    url,
    async send(request, path) {
      const { headers, signal } = request
      const bearer = PUBLIC.has(path) || headers.has('authorization') ? undefined : await token()
      if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
      if (workspace !== undefined && !OUTSIDE.has(path)) {
        headers.set('x-svc-workspace', await namedId(workspace))
      }
      // biome-ignore lint/style/noRestrictedGlobals: what commands send goes through here
      const response = await fetch(request).catch((cause: unknown) => {
        if (signal.aborted) throw cause
        throw unreachable(url, named_by, cause)
      })
      if (!response.ok) {
        const refused = response.status === 401 && !PUBLIC.has(path)
        const document = parse(await response.text())
        throw new ApiProblem(response.status, document, refused ? await (advice?.() ?? LOG_IN) : undefined)
      }
      if (response.status === 204) return new Response(null, { status: 204 })
      if (isEvents(response)) return new Response(response.body, { headers: response.headers })
      const text = await response.text()
      if (isMarkdown(response)) return new Response(text)
      return Response.json(parse(text), { headers: pagingOf(response.headers) })
    },
  })
  const lists = createApiLists(client)
  const namedId = (named: string) => {
    workspaceId ??= workspaceIdOf(named, () => lists.workspaces(MAX))
    return workspaceId
  }
  const me = () => bodyOf(client.GET('/auth/me'))

  return {
    url,
    ...lists,
    ...createApiModels(client),
    ...createApiPipelines(client),
    ...createApiKnowledge(client),
    ...createApiAsk(client),
    ...createApiPeople(client),
    ...createApiConnections(client),
    health: () => bodyOf(client.GET('/healthz')),
    /** with what it could not use, for signed-in users */
    async describe() {
      const bearer = await token()
      const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
      return await bodyOf(client.GET('/healthz', { params: { query: { verbose: '1' } }, headers }))
    },
    run: (id: string) => bodyOf(client.GET('/runs/{id}', { params: { path: { id } } })),
    events: (id: string, after_seq: number) =>
      bodyOf(client.GET('/runs/{id}/events', { params: { path: { id }, query: { after_seq, limit: 1_000 } } })),
    steps: (id: string) => bodyOf(client.GET('/runs/{id}/steps', { params: { path: { id } } })),
    step: (id: string, step: string) =>
      bodyOf(client.GET('/runs/{id}/steps/{step}', { params: { path: { id, step } } })),
    artifacts: (id: string) => bodyOf(client.GET('/runs/{id}/artifacts', { params: { path: { id } } })),
    evidence: (id: string) => bodyOf(client.GET('/runs/{id}/evidence', { params: { path: { id } } })),
    context: (id: string) => bodyOf(client.GET('/runs/{id}/context', { params: { path: { id } } })),
    lineage: (id: string) => bodyOf(client.GET('/runs/{id}/lineage', { params: { path: { id } } })),
    report: (id: string) => bodyOf(client.GET('/runs/{id}/report', { params: { path: { id } }, parseAs: 'text' })),
    cancel: (id: string, body: Schema<'Cancellation'>) =>
      once((header) => bodyOf(client.POST('/runs/{id}/cancel', { params: { path: { id }, header }, body }))),
    startAgain: (id: string, body: Schema<'RunRepeat'>) =>
      once((header) => bodyOf(client.POST('/runs/{id}/start-again', { params: { path: { id }, header }, body }))),
    retryRun: (id: string, body: Schema<'RunRepeat'>) =>
      once((header) => bodyOf(client.POST('/runs/{id}/retry', { params: { path: { id }, header }, body }))),
    expire: (id: string, body: Schema<'GateDismissal'>) =>
      once((header) => bodyOf(client.POST('/runs/{id}/expire', { params: { path: { id }, header }, body }))),
    packs: () => bodyOf(client.GET('/packs')),
    start: (pack: string, tpl: string, body: Schema<'RunRequest'>) =>
      once((header) =>
        bodyOf(client.POST('/packs/{pack}/{tpl}/run', { params: { path: { pack, tpl }, header }, body })),
      ),
    pendingApproval: (id: string) => bodyOf(client.GET('/runs/{id}/pending-approval', { params: { path: { id } } })),
    acknowledgeGate: (id: string) => bodyOf(client.POST('/approvals/{id}/acknowledge', { params: { path: { id } } })),
    commentOnGate: (id: string, body: Schema<'GateComment'>) =>
      once((header) => bodyOf(client.POST('/approvals/{id}/comments', { params: { path: { id }, header }, body }))),
    resume: (id: string, body: Schema<'ApprovalDecision'>) =>
      once((header) => bodyOf(client.POST('/runs/{id}/resume', { params: { path: { id }, header }, body }))),
    alert: (body: object) => bodyOf(client.POST('/triggers/alert', { body: { ...body } })),
    createSchedule: (body: Schema<'ScheduleDraft'>) =>
      once((header) => bodyOf(client.POST('/triggers/scheduled', { params: { header }, body }))),
    changeSchedule: (id: string, body: Schema<'ScheduleEdit'>) =>
      bodyOf(client.PATCH('/triggers/scheduled/{id}', { params: { path: { id } }, body })),
    deleteSchedule: (id: string) => done(client.DELETE('/triggers/scheduled/{id}', { params: { path: { id } } })),
    halts: () => bodyOf(client.GET('/console/api/halts')),
    setHalt: (body: Schema<'HaltDraft'>) =>
      once((header) => bodyOf(client.POST('/console/api/halts', { params: { header }, body }))),
    liftHalt: (id: string) => done(client.DELETE('/console/api/halts/{id}', { params: { path: { id } } })),
    /** Starts what a halt has refused by the request that it is listed with. A start by hand happens once, however often it is sent. */
    async startRefused({ id, template, start }: Schema<'RefusedStart'>): Promise<unknown> {
      if (start === undefined) throw new DomainError('not_found', `${id} cannot be started from its record`)
      const body = JSON.parse(JSON.stringify(start.body))
      if (start.operation === 'receiveAlerts')
        return await bodyOf(client.POST('/triggers/alert', { params: { query: { source: 'generic' } }, body }))
      if (start.operation === 'replayInbox') return await bodyOf(client.POST('/triggers/inbox/replay', { body }))
      const header = { 'idempotency-key': id }
      if (start.operation === 'startAgain' || start.operation === 'retryRun') {
        const params = { path: { id: start.path.split('/')[2] ?? '' }, header }
        const path = start.operation === 'retryRun' ? '/runs/{id}/retry' : '/runs/{id}/start-again'
        return await bodyOf(client.POST(path, { params, body }))
      }
      const [pack = '', tpl = ''] = template.split('/')
      const params = { path: { pack, tpl }, header }
      return await bodyOf(client.POST('/packs/{pack}/{tpl}/run', { params, body }))
    },
    me,
    /** id of the workspace that requests go to: the named one, else the caller's own */
    async workspace() {
      if (workspace !== undefined) return await namedId(workspace)
      const [home = '*'] = (await me()).workspaces
      return home === '*' ? DEFAULT_WORKSPACE_ID : home
    },
    login: (username: string, password: string) =>
      bodyOf(
        client.POST('/token', {
          body: { grant_type: 'password', username, password, client_id: 'svc-cli' },
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      ),
    /** revokes exactly this token */
    logout: (bearer: string) => done(client.POST('/auth/logout', { headers: { authorization: `Bearer ${bearer}` } })),

    /** Makes one connection to a run's events after `afterSeq`; `cut` when it broke before the run ended. */
    stream: (
      id: string,
      after_seq: number,
      onEvent: (event: Schema<'RunEvent'>) => 'continue' | 'enough',
      signal?: AbortSignal,
    ) =>
      streamEvents(
        (over) =>
          client.GET('/runs/{id}/stream', {
            params: { path: { id }, query: { after_seq } },
            headers: { accept: 'text/event-stream' },
            signal: over,
            parseAs: 'stream',
          }),
        onEvent,
        signal,
      ),
  }
}

export type ApiClient = ReturnType<typeof createApiClient>

function isMarkdown({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/markdown') === true
}

function isEvents({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

function unreachable(url: string, namedBy: string | undefined, cause: unknown): DomainError {
  const { code } = cause instanceof Error && cause.cause instanceof Error ? { code: '', ...cause.cause } : { code: '' }
  const details = [...(code === '' ? [] : [code]), ...(namedBy === undefined ? [] : [namedBy])]
  const where = details.length === 0 ? url : `${url} (${details.join('; ')})`
  const message = `nothing answers on ${where}: start the service with \`npm start\`, or name another one with SVC_URL`
  return new DomainError('dependency_unavailable', message, {}, { cause })
}

/** Returns the paging headers. */
function pagingOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(PAGING.flatMap((name) => [[name, headers.get(name) ?? '']]).filter(([, value]) => value))
}

/** A proxy in between may answer with something else than JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return { detail: text.slice(0, 200) || undefined }
  }
}

/** Calls of the API about corpora. */
function createApiKnowledge(client: ReturnType<typeof createClient>) {
  const at = (id: string) => ({ params: { path: { id } } })
  return {
    corpora: () => bodyOf(client.GET('/ui/api/knowledge')),
    createCorpus: (body: Schema<'CorpusDraft'>) =>
      once((header) => bodyOf(client.POST('/ui/api/knowledge', { params: { header }, body }))),
    indexCorpus: (id: string, body: Schema<'CorpusIndexing'>) =>
      bodyOf(client.POST('/ui/api/knowledge/{id}/index', { ...at(id), body })),
    queryCorpus: (id: string, body: Schema<'CorpusQuestion'>) =>
      bodyOf(client.POST('/ui/api/knowledge/{id}/query', { ...at(id), body })),
    chunk: (id: string, query: Query<'/ui/api/knowledge/{id}/passage'>) =>
      bodyOf(client.GET('/ui/api/knowledge/{id}/passage', { params: { path: { id }, query } })),
    deleteCorpus: (id: string) => done(client.DELETE('/ui/api/knowledge/{id}', at(id))),
  }
}

/** Calls of the API about people, their keys and their workspaces. */
function createApiPeople(client: ReturnType<typeof createClient>) {
  return {
    answeringAccounts: () => bodyOf(client.GET('/auth/me/answering-accounts')),
    addAnsweringAccount: (id: string) =>
      done(client.PUT('/auth/me/answering-accounts/{id}', { params: { path: { id } } })),
    removeAnsweringAccount: (id: string) =>
      done(client.DELETE('/auth/me/answering-accounts/{id}', { params: { path: { id } } })),
    // without a key of its own: its answer would be kept, and the secret with it
    createApiKey: (body: Schema<'ApiKeyDraft'>) => bodyOf(client.POST('/admin/api-keys', { body })),
    revokeApiKey: (id: string) => done(client.DELETE('/admin/api-keys/{id}', { params: { path: { id } } })),
    // without a key of its own: its answer would be kept, and the token with it
    inviteUser: (body: Schema<'UserInvite'>) => bodyOf(client.POST('/admin/users', { body })),
    changeUser: (id: string, etag: string | undefined, body: Schema<'UserEdit'>) =>
      bodyOf(client.PATCH('/admin/users/{id}', { params: { path: { id }, header: ifMatch(etag) }, body })),
    createWorkspace: (body: Schema<'WorkspaceDraft'>) =>
      once((header) => bodyOf(client.POST('/workspaces', { params: { header }, body }))),
    changeWorkspace: (id: string, etag: string, body: Schema<'WorkspaceEdit'>) =>
      bodyOf(client.PATCH('/workspaces/{id}', { params: { path: { id }, header: ifMatch(etag) }, body })),
  }
}

function ifMatch(etag: string | undefined): { 'if-match'?: string } {
  return etag === undefined ? {} : { 'if-match': etag }
}
