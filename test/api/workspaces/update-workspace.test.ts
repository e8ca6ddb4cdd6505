import { beforeEach, describe, expect, it } from 'vitest'
import { ProblemDocument } from '#api/schemas/problem.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Workspace } from '#core/workspace/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'
import { codeOf, openWorkspaceWorld } from '#test/support/workspace-world.ts'

itIsGuarded('updateWorkspace')
itRefuses('updateWorkspace', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'workspace_protected', likeItsExample({ params: { id: DEFAULT_WORKSPACE_ID }, body: { status: 'archived' } })],
  [409, 'conflict', overtakenIn('workspaces')],
])

const world = fileFixture(openWorkspaceWorld)
beforeEach(() => world.as({}))

describe('changing a workspace', () => {
  it('replaces what is named, keeps the rest, and says so in the audit', async () => {
    const { id, etag } = await world.make({ limits: { realtime: 3, background: 1 } })
    const answer = await world.send('PATCH', `/workspaces/${id}`, {
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
    expect(await world.audited(id)).toEqual(['workspace.created', 'workspace.updated'])
  })

  it('takes no environment that does not exist, and names those that the caller may know of', async () => {
    const { id, default_environment } = await world.make()
    for (const sent of [
      await world.send('PATCH', `/workspaces/${id}`, { default_environment: 'nowhere' }),
      await world.send('POST', '/workspaces', { slug: world.slug(), name: 'x', default_environment: 'nowhere' }),
    ]) {
      const problem = ProblemDocument.parse(await sent.json())
      expect([sent.status, problem.errors?.[0]]).toMatchObject([
        422,
        {
          pointer: '/default_environment',
          msg: expect.stringMatching(/no environment nowhere; known here: .*staging, development/),
        },
      ])
    }
    world.as({ workspaces: [id] })
    const ofOne = await world.send('PATCH', `/workspaces/${id}`, { default_environment: 'production' })
    expect(ProblemDocument.parse(await ofOne.json()).detail).toContain('no environment production; known here: none')
    const kept = await world.send('PATCH', `/workspaces/${id}`, { default_environment })
    expect(kept.status).toBe(200)
    expect(await world.audited(id)).toEqual(['workspace.created'])
  })

  it('is no change and no record when everything is as it was', async () => {
    const { id, etag } = await world.make()
    const answer = await world.send('PATCH', `/workspaces/${id}`, { name: 'Some' })
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, etag])
    expect(await world.audited(id)).toEqual(['workspace.created'])
  })

  it('happens as the caller has seen it, or not at all', async () => {
    const { id, etag } = await world.make()
    const edit = (name: string, tag: string) => world.send('PATCH', `/workspaces/${id}`, { name }, { 'if-match': tag })
    expect((await edit('first', etag)).status).toBe(200)
    expect(await codeOf(await edit('second', etag))).toEqual([412, 'version_conflict'])
    expect((await edit('third', `"0", "2"`)).status).toBe(200)
    expect((await edit('fourth', '*')).status).toBe(200)
    expect(await codeOf(await edit('fifth', 'W/"4"'))).toEqual([422, 'validation_failed'])
    expect(await codeOf(await world.send('DELETE', `/workspaces/${id}`, undefined, { 'if-match': etag }))).toEqual([
      412,
      'version_conflict',
    ])
  })

  it('of many callers at once with the same tag happens once', async () => {
    const { id, etag } = await world.make()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        world.send('PATCH', `/workspaces/${id}`, { name: `name ${n}` }, { 'if-match': etag }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
  })

  it('answers 404 alike for a workspace that is unknown and one that the caller may not enter', async () => {
    const { id } = await world.make()
    const { id: home } = await world.make()
    world.as({ roles: ['owner'], workspaces: [home] })
    for (const method of ['PATCH', 'DELETE']) {
      const bodies = []
      for (const path of [id, 'ws_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'nonsense']) {
        const answer = await world.send(method, `/workspaces/${path}`, method === 'PATCH' ? { name: 'x' } : undefined)
        expect(answer.status).toBe(404)
        bodies.push((await answer.text()).replaceAll(path, '…').replace(/req_\w+/, '…'))
      }
      expect(new Set(bodies).size).toBe(1)
    }
    world.as({ roles: ['operator'] })
    expect(await codeOf(await world.send('PATCH', `/workspaces/${id}`, { name: 'x' }))).toEqual([403, 'forbidden'])
    expect(await codeOf(await world.send('DELETE', `/workspaces/${id}`))).toEqual([403, 'forbidden'])
  })
})
