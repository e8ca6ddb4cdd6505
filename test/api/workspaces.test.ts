import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Workspace } from '#core/workspace/schema.ts'
import { codeOf, openWorkspaceDesk, type WorkspaceDesk } from '../support/workspace-desk.ts'

let desk: WorkspaceDesk

beforeAll(async () => {
  desk = await openWorkspaceDesk(inject('postgres_url'))
})
beforeEach(() => desk.as({}))
afterAll(() => desk?.close())

describe('making a workspace', () => {
  it('answers 201 with its address, its entity tag and the defaults', async () => {
    const answer = await desk.api.post('/workspaces', {
      slug: 'payments',
      name: 'Payments',
      limits: { daily_usd: 2.5 },
    })
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
    expect(await desk.audited(workspace.id)).toEqual(['workspace.created'])
  })

  it('refuses a slug that is taken, and one that is none', async () => {
    const { slug: taken } = await desk.make()
    expect(await codeOf(await desk.api.post('/workspaces', { slug: taken, name: 'x' }))).toEqual([409, 'conflict'])
    for (const bad of ['', 'Upper', '-x', 'x-', 'a b', 'x'.repeat(64), '..', 'ü']) {
      expect(await codeOf(await desk.api.post('/workspaces', { slug: bad, name: 'x' }))).toEqual([
        422,
        'validation_failed',
      ])
    }
  })

  it.each([
    { limits: { realtime: 0 } },
    { limits: { daily_usd: -1 } },
    { limits: { other: 1 } },
    { status: 'archived' },
    { name: ' ' },
  ])('refuses %j', async (fields) => {
    const answer = await desk.api.post('/workspaces', { slug: desk.slug(), name: 'x', ...fields })
    expect(await codeOf(answer)).toEqual([422, 'validation_failed'])
  })

  it('is for administrators of all workspaces', async () => {
    desk.as({ roles: ['operator'] })
    expect(await codeOf(await desk.api.post('/workspaces', { slug: desk.slug(), name: 'x' }))).toEqual([
      403,
      'forbidden',
    ])
    desk.as({ roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] })
    expect(await codeOf(await desk.api.post('/workspaces', { slug: desk.slug(), name: 'x' }))).toEqual([
      403,
      'forbidden',
    ])
  })
})

describe('listing workspaces', () => {
  it('goes page by page, newest first, with the whole count', async () => {
    const made = [await desk.make(), await desk.make(), await desk.make()].map((workspace) => workspace.id).reverse()
    const first = await desk.api.get('/workspaces?limit=2')
    const total = Number(first.headers.get('x-total-count'))
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await desk.api.get(next)
    const pages = [...Workspace.array().parse(await first.json()), ...Workspace.array().parse(await second.json())]
    expect(pages.slice(0, 3).map((workspace) => workspace.id)).toEqual(made)
    expect(total).toBeGreaterThanOrEqual(4)
    for (const cursor of [
      'x',
      Buffer.from('2026-01-01 00:00:00+00|run_00000000000000000000000000').toString('base64url'),
    ]) {
      expect(await codeOf(await desk.api.get(`/workspaces?cursor=${cursor}`))).toEqual([400, 'invalid_cursor'])
    }
  })

  it('shows each caller the ones that they may enter', async () => {
    const { id } = await desk.make()
    await desk.make()
    desk.as({ roles: ['viewer'], workspaces: [id] })
    const answer = await desk.api.get('/workspaces')
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
    const { id, etag } = await desk.make({ limits: { realtime: 3, background: 1 } })
    const answer = await desk.send('PATCH', `/workspaces/${id}`, {
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
    expect(await desk.audited(id)).toEqual(['workspace.created', 'workspace.updated'])
  })

  it('is no change and no record when everything is as it was', async () => {
    const { id, etag } = await desk.make()
    const answer = await desk.send('PATCH', `/workspaces/${id}`, { name: 'Some' })
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, etag])
    expect(await desk.audited(id)).toEqual(['workspace.created'])
  })

  it('happens as the caller has seen it, or not at all', async () => {
    const { id, etag } = await desk.make()
    const edit = (name: string, tag: string) => desk.send('PATCH', `/workspaces/${id}`, { name }, { 'if-match': tag })
    expect((await edit('first', etag)).status).toBe(200)
    expect(await codeOf(await edit('second', etag))).toEqual([412, 'version_conflict'])
    expect((await edit('third', `"0", "2"`)).status).toBe(200)
    expect((await edit('fourth', '*')).status).toBe(200)
    expect(await codeOf(await edit('fifth', 'W/"4"'))).toEqual([422, 'validation_failed'])
    expect(await codeOf(await desk.send('DELETE', `/workspaces/${id}`, undefined, { 'if-match': etag }))).toEqual([
      412,
      'version_conflict',
    ])
  })

  it('of many callers at once with the same tag happens once', async () => {
    const { id, etag } = await desk.make()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        desk.send('PATCH', `/workspaces/${id}`, { name: `name ${n}` }, { 'if-match': etag }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
  })

  it('answers 404 alike for a workspace that is unknown and one that the caller may not enter', async () => {
    const { id } = await desk.make()
    const { id: home } = await desk.make()
    desk.as({ roles: ['owner'], workspaces: [home] })
    for (const method of ['PATCH', 'DELETE']) {
      const bodies = []
      for (const path of [id, 'ws_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'nonsense']) {
        const answer = await desk.send(method, `/workspaces/${path}`, method === 'PATCH' ? { name: 'x' } : undefined)
        expect(answer.status).toBe(404)
        bodies.push((await answer.text()).replaceAll(path, '…').replace(/req_\w+/, '…'))
      }
      expect(new Set(bodies).size).toBe(1)
    }
    desk.as({ roles: ['operator'] })
    expect(await codeOf(await desk.send('PATCH', `/workspaces/${id}`, { name: 'x' }))).toEqual([403, 'forbidden'])
    expect(await codeOf(await desk.send('DELETE', `/workspaces/${id}`))).toEqual([403, 'forbidden'])
  })
})
