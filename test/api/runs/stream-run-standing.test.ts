import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createRateLimit } from '#api/rate-limit.ts'
import { openEventStream } from '#api/sse.ts'
import type { EventHub } from '#services/runs/watch-events.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, logEvents, runDraft } from '#test/support/test-runs.ts'
import { addUser, bearer, PASSWORD, SECRET } from '#test/support/users.ts'

const HOME = 'ws_00000000000000000000000000'
const ELSEWHERE = 'ws_00000000000000000000000001'
const PING_MS = 15_000
let api: TestApi
let now = Date.now()
let isDown = false

const database = testDatabase()
beforeAll(async () => {
  await addWorkspace(database, ELSEWHERE, 'elsewhere')
  api = await createTestApi(database, { secret: SECRET, services: { clock: () => now } })
  const { users } = api.deps.identity
  const find = users.find
  users.find = (id) => (isDown ? Promise.reject(new Error('the database is away')) : find(id))
})
afterEach(() => {
  vi.useRealTimers()
  isDown = false
  api.deps.limiter = createRateLimit(0)
})
afterAll(() => api?.close())

async function change(user: UserRow, patch: UserPatch): Promise<void> {
  const audit = { ...runDraft().audit, subject: { type: 'user', id: user.id } }
  await api.deps.identity.users.change(user.id, () => ({ patch, audit }))
}

const NAMED = { 'x-svc-workspace': HOME }
const ways: [string, (path: string) => string, Record<string, string>][] = [
  ['without a named workspace', (path) => path, {}],
  ['with the workspace in a header', (path) => path, NAMED],
  ['with the workspace in the path', (path) => `/workspaces/${HOME}${path}`, {}],
]

/** Opens a stream as a user; `ping` lets it ask again, and afterwards what the user remembered is forgotten. */
async function follow(user: UserRow, [, path, headers]: (typeof ways)[number], given?: Record<string, string>) {
  const run = await admitTestRun(api)
  const header = { ...headers, ...(given ?? (await bearer(api.deps, user))) }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const stream = await api.get(path(`/runs/${run}/stream`), header)
  expect(stream.status).toBe(200)
  return {
    header,
    ping() {
      now += 5_001
      vi.advanceTimersByTime(PING_MS)
      vi.useRealTimers()
    },
    async later(): Promise<string> {
      await api.runs.appendEvents(run, logEvents(1, { text: 'a later note' }))
      api.notifyRun(run)
      const reader = (stream.body ?? new ReadableStream<Uint8Array>()).getReader()
      const decoder = new TextDecoder()
      let text = ''
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        text += decoder.decode(read.value, { stream: true })
        if (text.includes('a later note')) await reader.cancel()
      }
      return text
    },
  }
}

const isClosed = () => vi.waitFor(() => expect(api.deps.hub.openStreams()).toBe(0), { timeout: 3_000 })

describe.each(ways)('an open stream %s', (...way) => {
  it('goes on for a reader who still belongs to its workspace, also when another is the home now', async () => {
    const user = await addUser(api.deps)
    const open = await follow(user, way)
    await change(user, { workspaces: [ELSEWHERE, HOME] })
    open.ping()
    expect(await open.later()).toContain('a later note')
  })

  it.each<[string, UserPatch]>([
    ['was moved to another workspace', { workspaces: [ELSEWHERE] }],
    ['is disabled', { status: 'disabled' }],
  ])('closes when its reader %s, and delivers no later note', async (_, patch) => {
    const user = await addUser(api.deps)
    const open = await follow(user, way)
    await change(user, patch)
    open.ping()
    await isClosed()
    expect(await open.later()).not.toContain('a later note')
  })

  it('closes when the token is revoked', async () => {
    const user = await addUser(api.deps)
    const open = await follow(user, way)
    await change(user, { token_version: user.token_version + 1 })
    open.ping()
    await isClosed()
    expect(await open.later()).not.toContain('a later note')
  })

  it('closes for a reader who was moved and floods itself into 429', async () => {
    api.deps.limiter = createRateLimit(2)
    const user = await addUser(api.deps)
    const open = await follow(user, way)
    await change(user, { workspaces: [ELSEWHERE] })
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.get('/auth/me', open.header)))
    expect(answers.map(({ status }) => status)).toContain(429)
    open.ping()
    await isClosed()
    expect(await open.later()).not.toContain('a later note')
  })

  it('closes when nobody can say who the reader is', async () => {
    const user = await addUser(api.deps)
    const open = await follow(user, way)
    isDown = true
    open.ping()
    await isClosed()
    isDown = false
    expect(await open.later()).not.toContain('a later note')
  })
})

describe('an open stream of a browser', () => {
  const [way] = ways as [(typeof ways)[number]]

  async function session({ email }: UserRow): Promise<{ cookie: string; 'x-svc-csrf': string }> {
    const answer = await api.post('/console/api/session', { email, password: PASSWORD })
    const { csrf } = (await answer.json()) as { csrf: string }
    return { cookie: answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '', 'x-svc-csrf': csrf }
  }

  it('closes when its reader signs out of its session', async () => {
    const user = await addUser(api.deps)
    const headers = await session(user)
    const open = await follow(user, way, headers)
    expect((await api.app.request('/console/api/session', { method: 'DELETE', headers })).status).toBe(204)
    open.ping()
    await isClosed()
    expect(await open.later()).not.toContain('a later note')
  })

  it('closes when its reader signs out everywhere, in another session', async () => {
    const user = await addUser(api.deps)
    const open = await follow(user, way, await session(user))
    expect((await api.post('/auth/logout', {}, await session(user))).status).toBe(204)
    open.ping()
    await isClosed()
    expect(await open.later()).not.toContain('a later note')
  })

  it('goes on when its reader signs out of another session', async () => {
    const user = await addUser(api.deps)
    const open = await follow(user, way, await session(user))
    const out = { method: 'DELETE', headers: await session(user) }
    expect((await api.app.request('/console/api/session', out)).status).toBe(204)
    open.ping()
    expect(await open.later()).toContain('a later note')
  })

  it('closes when the session has run out', async () => {
    const user = await addUser(api.deps)
    const open = await follow(user, way, await session(user))
    now += 13 * 3_600_000
    open.ping()
    await isClosed()
    expect(await open.later()).not.toContain('a later note')
  })
})

it('a question that is not answered within ten seconds closes the stream', async () => {
  vi.useFakeTimers()
  const hub: Pick<EventHub, 'watch'> = { watch: async () => () => undefined }
  const watched = { workspace_id: HOME, run_id: 'run_1', after_seq: 0 }
  const body = await openEventStream(hub, watched, {
    abort: undefined,
    stillAllowed: () => new Promise<boolean>(() => undefined),
  })
  const text = new Response(body).text()
  await vi.advanceTimersByTimeAsync(PING_MS + 9_999)
  await vi.advanceTimersByTimeAsync(2)
  vi.useRealTimers()
  expect(await text).toContain('closing')
})
