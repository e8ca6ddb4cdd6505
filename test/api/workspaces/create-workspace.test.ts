import { beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Workspace } from '#core/workspace/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { codeOf, openWorkspaceWorld } from '#test/support/workspace-world.ts'

itIsGuarded('createWorkspace')

const world = fileFixture(openWorkspaceWorld)
beforeEach(() => world.as({}))

describe('making a workspace', () => {
  it('answers 201 with its address, its entity tag and the defaults', async () => {
    const answer = await world.api.post('/workspaces', {
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
    expect(await world.audited(workspace.id)).toEqual(['workspace.created'])
  })

  it('refuses a slug that is taken, and one that is none', async () => {
    const { slug: taken } = await world.make()
    expect(await codeOf(await world.api.post('/workspaces', { slug: taken, name: 'x' }))).toEqual([409, 'conflict'])
    for (const bad of ['', 'Upper', '-x', 'x-', 'a b', 'x'.repeat(64), '..', 'ü']) {
      expect(await codeOf(await world.api.post('/workspaces', { slug: bad, name: 'x' }))).toEqual([
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
    const answer = await world.api.post('/workspaces', { slug: world.slug(), name: 'x', ...fields })
    expect(await codeOf(answer)).toEqual([422, 'validation_failed'])
  })

  it('is for administrators of all workspaces', async () => {
    world.as({ roles: ['operator'] })
    expect(await codeOf(await world.api.post('/workspaces', { slug: world.slug(), name: 'x' }))).toEqual([
      403,
      'forbidden',
    ])
    world.as({ roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] })
    expect(await codeOf(await world.api.post('/workspaces', { slug: world.slug(), name: 'x' }))).toEqual([
      403,
      'forbidden',
    ])
  })
})
