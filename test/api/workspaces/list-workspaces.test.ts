import { beforeEach, describe, expect, it } from 'vitest'
import { Workspace } from '#core/workspace/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { codeOf, openWorkspaceWorld } from '#test/support/workspace-world.ts'

itIsGuarded('listWorkspaces')

const world = fileFixture(openWorkspaceWorld)
beforeEach(() => world.as({}))

describe('listing workspaces', () => {
  it('goes page by page, newest first, with the whole count', async () => {
    const made = [await world.make(), await world.make(), await world.make()].map((workspace) => workspace.id).reverse()
    const first = await world.api.get('/workspaces?limit=2')
    const total = Number(first.headers.get('x-total-count'))
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await world.api.get(next)
    const pages = [...Workspace.array().parse(await first.json()), ...Workspace.array().parse(await second.json())]
    expect(pages.slice(0, 3).map((workspace) => workspace.id)).toEqual(made)
    expect(total).toBeGreaterThanOrEqual(4)
    for (const cursor of [
      'x',
      Buffer.from('2026-01-01 00:00:00+00|run_00000000000000000000000000').toString('base64url'),
    ]) {
      expect(await codeOf(await world.api.get(`/workspaces?cursor=${cursor}`))).toEqual([400, 'invalid_cursor'])
    }
  })

  it('shows each caller the ones that they may enter', async () => {
    const { id } = await world.make()
    await world.make()
    world.as({ roles: ['viewer'], workspaces: [id] })
    const answer = await world.api.get('/workspaces')
    expect(
      Workspace.array()
        .parse(await answer.json())
        .map((workspace) => workspace.id),
    ).toEqual([id])
    expect(answer.headers.get('x-total-count')).toBe('1')
  })
})
