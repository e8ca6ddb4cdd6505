import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { routes } from '#api/registry.ts'
import { ProblemDocument } from '#api/schemas/problem.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Workspace } from '#core/workspace/schema.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import type { Actor } from '#services/context.ts'
import {
  admitTestRun,
  createTestApi,
  finishTestRun,
  parkTestRun,
  runDraft,
  type TestApi,
} from '../support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let api: TestApi
let actor: Actor = LOCAL_ACTOR
let names = 0
const STRANGER = 'run_zzzzzzzzzzzzzzzzzzzzzzzzzz'

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database, { auth: { enabled: true, actor: async () => actor } })
})
beforeEach(() => {
  actor = LOCAL_ACTOR
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})

const as = (changes: Partial<Actor>) => {
  actor = { ...LOCAL_ACTOR, ...changes }
}
const slug = () => {
  names += 1
  return `ws-${names}`
}

async function make(fields: Record<string, unknown> = {}): Promise<Workspace> {
  const answer = await api.post('/workspaces', { slug: slug(), name: 'Some', ...fields })
  expect(answer.status).toBe(201)
  return Workspace.parse(await answer.json())
}

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.app.request(path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const codeOf = async (answer: Response) => [answer.status, ProblemDocument.parse(await answer.json()).code]
const unprotect = async (id: string) =>
  expect((await send('PATCH', `/workspaces/${id}`, { protected: false })).status).toBe(200)

/** The actions of the audit about this workspace, in order. */
async function audited(id: string) {
  const rows = await database.db<{ action: string; category: string }[]>`
    select draft ->> 'action' as action, draft ->> 'category' as category from audit_outbox
    where draft #>> '{subject,id}' = ${id} and draft ->> 'workspace_id' = ${id} order by id`
  expect(rows.every((row) => row.category === 'admin')).toBe(true)
  return rows.map((row) => row.action)
}

describe('making a workspace', () => {
  it('answers 201 with its address, its entity tag and the defaults', async () => {
    const answer = await api.post('/workspaces', { slug: 'payments', name: 'Payments', limits: { daily_usd: 2.5 } })
    const workspace = Workspace.parse(await answer.json())
    expect(answer.status).toBe(201)
    expect(answer.headers.get('location')).toBe(`/workspaces/${workspace.id}`)
    expect(answer.headers.get('etag')).toBe(workspace.etag)
    expect(workspace).toMatchObject({
      slug: 'payments',
      status: 'active',
      protected: true,
      default_environment: 'development',
      limits: { daily_usd: 2.5 },
    })
    expect(await audited(workspace.id)).toEqual(['workspace.created'])
  })

  it('refuses a slug that is taken, and one that is none', async () => {
    const { slug: taken } = await make()
    expect(await codeOf(await api.post('/workspaces', { slug: taken, name: 'x' }))).toEqual([409, 'conflict'])
    for (const bad of ['', 'Upper', '-x', 'x-', 'a b', 'x'.repeat(64), '..', 'ü']) {
      expect(await codeOf(await api.post('/workspaces', { slug: bad, name: 'x' }))).toEqual([422, 'validation_failed'])
    }
  })

  it.each([
    { limits: { realtime: 0 } },
    { limits: { daily_usd: -1 } },
    { limits: { other: 1 } },
    { status: 'archived' },
    { name: ' ' },
  ])('refuses %j', async (fields) => {
    const answer = await api.post('/workspaces', { slug: slug(), name: 'x', ...fields })
    expect(await codeOf(answer)).toEqual([422, 'validation_failed'])
  })

  it('is for administrators of all workspaces', async () => {
    as({ roles: ['operator'] })
    expect(await codeOf(await api.post('/workspaces', { slug: slug(), name: 'x' }))).toEqual([403, 'forbidden'])
    as({ roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] })
    expect(await codeOf(await api.post('/workspaces', { slug: slug(), name: 'x' }))).toEqual([403, 'forbidden'])
  })
})

describe('listing workspaces', () => {
  it('goes page by page, newest first, with the whole count', async () => {
    const made = [await make(), await make(), await make()].map((workspace) => workspace.id).reverse()
    const first = await api.get('/workspaces?limit=2')
    const total = Number(first.headers.get('x-total-count'))
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await api.get(next)
    const pages = [...Workspace.array().parse(await first.json()), ...Workspace.array().parse(await second.json())]
    expect(pages.slice(0, 3).map((workspace) => workspace.id)).toEqual(made)
    expect(total).toBeGreaterThanOrEqual(4)
    for (const cursor of [
      'x',
      Buffer.from('2026-01-01 00:00:00+00|run_00000000000000000000000000').toString('base64url'),
    ]) {
      expect(await codeOf(await api.get(`/workspaces?cursor=${cursor}`))).toEqual([400, 'invalid_cursor'])
    }
  })

  it('shows each caller the ones that they may enter', async () => {
    const { id } = await make()
    await make()
    as({ roles: ['viewer'], workspaces: [id] })
    const answer = await api.get('/workspaces')
    expect(
      Workspace.array()
        .parse(await answer.json())
        .map((workspace) => workspace.id),
    ).toEqual([id])
    expect(answer.headers.get('x-total-count')).toBe('1')
  })
})

describe('changing a workspace', () => {
  it('replaces what is named, keeps the rest, and says so in the audit', async () => {
    const { id, etag } = await make({ limits: { realtime: 3, background: 1 } })
    const answer = await send('PATCH', `/workspaces/${id}`, {
      name: 'New',
      limits: { realtime: 5 },
      default_environment: 'staging',
    })
    const changed = Workspace.parse(await answer.json())
    expect(changed).toMatchObject({
      name: 'New',
      limits: { realtime: 5 },
      default_environment: 'staging',
      protected: true,
    })
    expect(answer.headers.get('etag')).toBe(changed.etag)
    expect(changed.etag).not.toBe(etag)
    expect(await audited(id)).toEqual(['workspace.created', 'workspace.updated'])
  })

  it('is no change and no record when everything is as it was', async () => {
    const { id, etag } = await make()
    const answer = await send('PATCH', `/workspaces/${id}`, { name: 'Some' })
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, etag])
    expect(await audited(id)).toEqual(['workspace.created'])
  })

  it('happens as the caller has seen it, or not at all', async () => {
    const { id, etag } = await make()
    const edit = (name: string, tag: string) => send('PATCH', `/workspaces/${id}`, { name }, { 'if-match': tag })
    expect((await edit('first', etag)).status).toBe(200)
    expect(await codeOf(await edit('second', etag))).toEqual([412, 'version_conflict'])
    expect((await edit('third', `"0", "2"`)).status).toBe(200)
    expect((await edit('fourth', '*')).status).toBe(200)
    expect(await codeOf(await edit('fifth', 'W/"4"'))).toEqual([422, 'validation_failed'])
    expect(await codeOf(await send('DELETE', `/workspaces/${id}`, undefined, { 'if-match': etag }))).toEqual([
      412,
      'version_conflict',
    ])
  })

  it('of many callers at once with the same tag happens once', async () => {
    const { id, etag } = await make()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        send('PATCH', `/workspaces/${id}`, { name: `name ${n}` }, { 'if-match': etag }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
  })

  it('answers 404 alike for a workspace that is unknown and one that the caller may not enter', async () => {
    const { id } = await make()
    const { id: home } = await make()
    as({ roles: ['owner'], workspaces: [home] })
    for (const method of ['PATCH', 'DELETE']) {
      const bodies = []
      for (const path of [id, 'ws_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'nonsense']) {
        const answer = await send(method, `/workspaces/${path}`, method === 'PATCH' ? { name: 'x' } : undefined)
        expect(answer.status).toBe(404)
        bodies.push((await answer.text()).replaceAll(path, '…').replace(/req_\w+/, '…'))
      }
      expect(new Set(bodies).size).toBe(1)
    }
    as({ roles: ['operator'] })
    expect(await codeOf(await send('PATCH', `/workspaces/${id}`, { name: 'x' }))).toEqual([403, 'forbidden'])
    expect(await codeOf(await send('DELETE', `/workspaces/${id}`))).toEqual([403, 'forbidden'])
  })
})

describe('archiving a workspace', () => {
  it('takes two steps while it is protected: unprotect, then archive; a repeat changes nothing', async () => {
    const { id } = await make()
    expect(await codeOf(await send('DELETE', `/workspaces/${id}`))).toEqual([409, 'workspace_protected'])
    expect(await codeOf(await send('PATCH', `/workspaces/${id}`, { status: 'archived' }))).toEqual([
      409,
      'workspace_protected',
    ])
    await unprotect(id)
    const first = Workspace.parse(await (await send('DELETE', `/workspaces/${id}`)).json())
    const again = Workspace.parse(await (await send('DELETE', `/workspaces/${id}`)).json())
    expect(first).toMatchObject({ status: 'archived', archived_at: expect.any(String) })
    expect(again).toEqual(first)
    expect(await audited(id)).toEqual(['workspace.created', 'workspace.updated', 'workspace.archived'])
  })

  it('or the slug, repeated by an owner', async () => {
    const { id, slug: own } = await make()
    for (const confirm of ['', 'other', own.toUpperCase(), id]) {
      expect(await codeOf(await send('DELETE', `/workspaces/${id}?confirm=${confirm}`))).toEqual([
        409,
        'workspace_protected',
      ])
    }
    as({ roles: ['admin'] })
    expect(await codeOf(await send('DELETE', `/workspaces/${id}?confirm=${own}`))).toEqual([409, 'workspace_protected'])
    as({ roles: ['owner'] })
    expect((await send('DELETE', `/workspaces/${id}?confirm=${own}`)).status).toBe(200)
  })

  it('never happens to the default one', async () => {
    await unprotect(DEFAULT_WORKSPACE_ID)
    expect(await codeOf(await send('DELETE', `/workspaces/${DEFAULT_WORKSPACE_ID}?confirm=default`))).toEqual([
      409,
      'workspace_protected',
    ])
    const patch = { status: 'archived', protected: false }
    expect(await codeOf(await send('PATCH', `/workspaces/${DEFAULT_WORKSPACE_ID}`, patch))).toEqual([
      409,
      'workspace_protected',
    ])
  })

  it('stops every change inside, from the next request on, and no read', async () => {
    const { id, slug: own } = await make()
    const run = await admitTestRun(api, { workspace_id: id })
    expect((await api.get(`/workspaces/${id}/runs/${run}`)).status).toBe(200)
    expect((await send('DELETE', `/workspaces/${id}?confirm=${own}`)).status).toBe(200)
    const writes = routes.filter(
      (route) => route.access === 'write' && route.scope === 'workspace' && route.auth !== 'public',
    )
    expect(writes.length).toBeGreaterThan(4)
    for (const route of writes) {
      const path = `/workspaces/${id}${fill(route.path, run)}`
      expect(await codeOf(await send(route.method.toUpperCase(), path, {})), path).toEqual([409, 'workspace_archived'])
    }
    expect((await api.get(`/workspaces/${id}/runs/${run}`)).status).toBe(200)
    expect(await (await api.get(`/workspaces/${id}/runs`)).json()).toHaveLength(1)
    const back = await send('PATCH', `/workspaces/${id}/workspaces/${id}`, { status: 'active' })
    expect(Workspace.parse(await back.json())).not.toHaveProperty('archived_at')
    expect(await codeOf(await send('POST', `/workspaces/${id}/runs/${run}/expire`, { reason: 'x' }))).toEqual([
      409,
      'run_not_awaiting',
    ])
  })
})

describe('addressing', () => {
  // figures differ from one moment to the next, and there is no inbox here: the access matrix asks for both
  const elsewhere = ['/metrics', '/triggers/inbox']
  const reads = routes.filter(
    (route) =>
      route.method === 'get' &&
      !['public', 'signature'].includes(route.auth) &&
      route.scope === 'workspace' &&
      !elsewhere.includes(route.path),
  )
  let run: string
  let home: string
  let other: string
  let parked: string

  beforeAll(async () => {
    ;[home, other] = [(await make()).id, (await make()).id]
    const report = {
      id: 'art_1',
      name: 'report.md',
      media_type: 'text/markdown',
      size_bytes: 1,
      digest: `sha256:${'e'.repeat(64)}`,
      body_base64: 'eA==',
    }
    run = await admitTestRun(api, { workspace_id: home })
    await finishTestRun(api, run, { step_id: 'act', ordinal: 1, attempt: 1, state: 'succeeded', artifacts: [report] })
    parked = await admitTestRun(api, { workspace_id: home })
    await parkTestRun(api, parked)
  })

  const pathOf = (route: (typeof routes)[number]) => fill(route.path, route.path.includes('pending') ? parked : run)

  it.each(reads)('GET $path answers alike by home, header and prefix, and to nobody else', async (route) => {
    const path = pathOf(route)
    as({ workspaces: [home] })
    const plain = await api.get(path)
    const byHeader = await api.get(path, { 'x-svc-workspace': home })
    const byPath = await api.get(`/workspaces/${home}${path}`)
    const byBoth = await api.get(`/workspaces/${home}${path}`, { 'x-svc-workspace': home })
    expect(plain.status).toBe(200)
    const texts = await Promise.all([plain, byHeader, byPath, byBoth].map((answer) => answer.text()))
    expect(new Set(texts).size).toBe(1)

    const unknown = 'ws_zzzzzzzzzzzzzzzzzzzzzzzzzz'
    for (const foreign of [other, unknown, 'nonsense']) {
      expect((await api.get(`/workspaces/${foreign}${path}`)).status).toBe(404)
      expect((await api.get(path, { 'x-svc-workspace': foreign })).status).toBe(404)
      const both = await api.get(`/workspaces/${foreign}${path}`, { 'x-svc-workspace': home })
      expect(await codeOf(both)).toEqual([400, 'workspace_conflict'])
    }
  })

  it.each(reads.filter((route) => route.path.includes('{id}')))(
    'GET $path through another workspace is like a run that is not there, also for who may enter both',
    async (route) => {
      const path = pathOf(route)
      const absent = fill(route.path, STRANGER)
      const answers = [
        await api.get(`/workspaces/${other}${path}`, { 'x-request-id': 'same-request' }),
        await api.get(`/workspaces/${other}${absent}`, { 'x-request-id': 'same-request' }),
      ]
      expect(answers.map((answer) => answer.status)).toEqual([404, 404])
      const [foreign, unknown] = await Promise.all(answers.map((answer) => answer.text()))
      expect(foreign?.replaceAll(path.includes(parked) ? parked : run, STRANGER)).toBe(unknown)
      expect([...(answers[0]?.headers ?? [])]).toEqual([...(answers[1]?.headers ?? [])])
    },
  )

  it('takes one prefix: what is left names no second workspace', async () => {
    expect((await api.get(`/workspaces/${home}/workspaces`)).status).toBe(200)
    expect((await api.get(`/workspaces/${home}/workspaces/${other}/runs`)).status).toBe(404)
    expect((await send('PATCH', `/workspaces/${home}/workspaces/${other}`, { name: 'Reached' })).status).toBe(200)
    as({ workspaces: [home] })
    expect((await send('PATCH', `/workspaces/${home}/workspaces/${other}`, { name: 'Not reached' })).status).toBe(404)
    expect((await api.get(`/workspaces/${home}`)).status).toBe(405)
  })

  it('a caller who may enter several has the first as home, and one who may enter none has nothing', async () => {
    as({ workspaces: [other, home] })
    expect((await api.get(`/runs/${run}`)).status).toBe(404)
    expect((await api.get(`/runs/${run}`, { 'x-svc-workspace': home })).status).toBe(200)
    as({ workspaces: [] })
    expect((await api.get('/runs')).status).toBe(404)
  })

  it('a run that is admitted through a prefix belongs to that workspace', async () => {
    const draft = runDraft({ workspace_id: other })
    await api.runs.admit([draft])
    expect((await api.get(`/workspaces/${other}/runs/${draft.id}`)).status).toBe(200)
    expect((await api.get(`/runs/${draft.id}`)).status).toBe(404)
  })
})

/** A path with every parameter filled in. */
function fill(path: string, run: string): string {
  const filled = path
    .replace('{pack}', 'incident')
    .replace('{tpl}', 'service-recovery')
    .replace(/\{\w+\}/, run)
  return filled.endsWith('/artifacts/download') ? `${filled}?name=report.md` : filled
}
