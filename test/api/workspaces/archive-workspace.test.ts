import { beforeEach, describe, expect, it } from 'vitest'
import { routes } from '#api/registry.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Workspace } from '#core/workspace/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { startPipeline } from '#test/support/pipeline-place.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'
import { admitTestRun } from '#test/support/test-runs.ts'
import { addressOf, codeOf, openWorkspaceWorld } from '#test/support/workspace-world.ts'

itIsGuarded('archiveWorkspace')
itRefuses('archiveWorkspace', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'workspace_protected', likeItsExample({ params: { id: DEFAULT_WORKSPACE_ID } })],
  [409, 'conflict', overtakenIn('workspaces')],
])

const world = fileFixture(openWorkspaceWorld)
beforeEach(() => world.as({}))

describe('archiving a workspace', () => {
  it('takes two steps while it is protected: unprotect, then archive; a repeat changes nothing', async () => {
    const { id } = await world.make()
    expect(await codeOf(await world.send('DELETE', `/workspaces/${id}`))).toEqual([409, 'workspace_protected'])
    expect(await codeOf(await world.send('PATCH', `/workspaces/${id}`, { status: 'archived' }))).toEqual([
      409,
      'workspace_protected',
    ])
    await world.unprotect(id)
    const first = Workspace.parse(await (await world.send('DELETE', `/workspaces/${id}`)).json())
    const again = Workspace.parse(await (await world.send('DELETE', `/workspaces/${id}`)).json())
    expect(first).toMatchObject({ status: 'archived', archived_at: expect.any(String) })
    expect(again).toEqual(first)
    expect(await world.audited(id)).toEqual(['workspace.created', 'workspace.updated', 'workspace.archived'])
  })

  it('or the slug, repeated by an owner', async () => {
    const { id, slug: own } = await world.make()
    for (const confirm of ['', 'other', own.toUpperCase(), id]) {
      expect(await codeOf(await world.send('DELETE', `/workspaces/${id}?confirm=${confirm}`))).toEqual([
        409,
        'workspace_protected',
      ])
    }
    world.as({ roles: ['admin'] })
    expect(await codeOf(await world.send('DELETE', `/workspaces/${id}?confirm=${own}`))).toEqual([
      409,
      'workspace_protected',
    ])
    world.as({ roles: ['owner'] })
    expect((await world.send('DELETE', `/workspaces/${id}?confirm=${own}`)).status).toBe(200)
  })

  it('never happens to the default one', async () => {
    await world.unprotect(DEFAULT_WORKSPACE_ID)
    expect(await codeOf(await world.send('DELETE', `/workspaces/${DEFAULT_WORKSPACE_ID}?confirm=default`))).toEqual([
      409,
      'workspace_protected',
    ])
    const patch = { status: 'archived', protected: false }
    expect(await codeOf(await world.send('PATCH', `/workspaces/${DEFAULT_WORKSPACE_ID}`, patch))).toEqual([
      409,
      'workspace_protected',
    ])
  })

  it('stops every change inside but an end, from the next request on, and no read', async () => {
    const { id, slug: own } = await world.make()
    const run = await admitTestRun(world.api, { workspace_id: id })
    const pipeline = await startPipeline(world.api, 'later', { 'x-svc-workspace': id })
    expect((await world.api.get(`/workspaces/${id}/runs/${run}`)).status).toBe(200)
    expect((await world.send('DELETE', `/workspaces/${id}?confirm=${own}`)).status).toBe(200)
    const ends = [`/workspaces/${id}/runs/${run}/cancel`, `/workspaces/${id}/runs/${run}/expire`]
    const writes = routes
      .filter((route) => route.access === 'write' && route.scope === 'workspace' && route.auth !== 'public')
      .filter(
        ({ operationId }) =>
          !['cancelRun', 'cancelPipeline', 'expireGate', 'createChatCompletion'].includes(operationId),
      )
    expect(writes.length).toBeGreaterThan(4)
    for (const route of writes) {
      const path = `/workspaces/${id}${addressOf(route, run)}`
      expect(await codeOf(await world.send(route.method.toUpperCase(), path, {})), path).toEqual([
        409,
        'workspace_archived',
      ])
    }
    // in the words of OpenAI
    const asked = await world.send('POST', `/workspaces/${id}/v1/chat/completions`, {})
    expect([asked.status, await asked.json()]).toMatchObject([409, { error: { code: 'workspace_archived' } }])
    const ended = await Promise.all(ends.map((path) => world.send('POST', path, { reason: 'it closes' })))
    expect(await codeOf(ended[0] as Response)).toEqual([503, 'dependency_unavailable'])
    expect(await codeOf(ended[1] as Response)).toEqual([409, 'run_not_awaiting'])
    expect((await world.send('POST', `/workspaces/${id}/pipelines/${pipeline}/cancel`, {})).status).toBe(202)
    expect((await world.api.get(`/workspaces/${id}/runs/${run}`)).status).toBe(200)
    expect(await (await world.api.get(`/workspaces/${id}/runs`)).json()).toHaveLength(1)
    const back = await world.send('PATCH', `/workspaces/${id}/workspaces/${id}`, { status: 'active' })
    expect(Workspace.parse(await back.json())).not.toHaveProperty('archived_at')
    expect(await codeOf(await world.send('POST', `/workspaces/${id}/runs/${run}/expire`, { reason: 'x' }))).toEqual([
      409,
      'run_not_awaiting',
    ])
  })
})
