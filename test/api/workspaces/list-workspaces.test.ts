import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { Workspace } from '#core/workspace/schema.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { codeOf, openWorkspaceDesk, type WorkspaceDesk } from '#test/support/workspace-desk.ts'

itIsGuarded('listWorkspaces')

let desk: WorkspaceDesk

beforeAll(async () => {
  desk = await openWorkspaceDesk(inject('postgres_url'))
})
beforeEach(() => desk.as({}))
afterAll(() => desk?.close())

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
