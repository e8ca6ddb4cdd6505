import { describe, expect, inject, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openModelWorld } from '#test/support/model-world.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'
import { admitTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('putModelRoles')
itRefuses('putModelRoles', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [
    409,
    'conflict',
    async (world, route) => {
      // something is said, and the example says something else
      await (await likeItsExample({ body: { roles: { embed: 'echo' } } })(world, route))()
      return overtakenIn('console_documents')(world, route)
    },
  ],
])

const world = fileFixture(() =>
  openModelWorld(inject('postgres_url'), {
    files: { 'profiles/frank.yaml': 'name: frank\nmodel_roles: { small: no-usage }\n' },
    roles: { default: { model: 'echo' }, small: { model: 'busy' } },
  }),
)

const put = (roles: unknown, headers: Record<string, string> = {}) =>
  world.api.app.request('/ui/api/model-roles', {
    method: 'PUT',
    body: JSON.stringify({ roles }),
    headers: { 'content-type': 'application/json', ...headers },
  })
const answeredBy = async (model: string, run?: string) => {
  const prompt = { model, messages: [{ role: 'user' as const, content: 'hello' }], max_tokens: 5 }
  const headers = run === undefined ? {} : { 'X-Svc-Run-Id': run }
  return (await world.client.chat.completions.create(prompt, { headers })).model
}

describe('what the console says of the roles', () => {
  it('stands above models.yaml at once, under profiles, and is on record', async () => {
    const first = await world.api.get('/ui/api/model-roles')
    expect(await first.json()).toMatchObject({ said: {}, roles: { small: { model: 'busy', layer: 'file' } } })
    const etag = first.headers.get('etag') ?? ''
    const answer = await put({ small: { model: 'echo', fallback: 'busy' }, judge: 'echo' }, { 'if-match': etag })
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      {
        said: { small: { model: 'echo', fallback: 'busy' }, judge: { model: 'echo' } },
        roles: {
          default: { model: 'echo', layer: 'file' },
          small: { model: 'echo', fallback: 'busy', layer: 'console' },
          judge: { model: 'echo', layer: 'console' },
        },
        author: 'usr_local',
      },
    ])
    expect(await answeredBy('small')).toBe('echo')
    expect(await answeredBy('small', await admitTestRun(world.api, { profile: 'frank' }))).toBe('no-usage')
    expect((await put({}, { 'if-match': etag })).status).toBe(412)
    expect(await auditOf(world.api, 'console/model-roles')).toMatchObject([
      {
        action: 'model_roles.updated',
        actor: { id: 'usr_local' },
        data: { before: null, after: expect.stringMatching(/^sha256:/), roles: { judge: { model: 'echo' } } },
      },
    ])
  })

  it('is taken back by leaving it out, and nothing is written where nothing changes', async () => {
    await put({ small: 'echo' })
    const answer = await put({})
    expect(await answer.json()).toMatchObject({ said: {}, roles: { small: { model: 'busy', layer: 'file' } } })
    const before = (await auditOf(world.api, 'console/model-roles')).length
    await put({})
    expect((await auditOf(world.api, 'console/model-roles')).length).toBe(before)
    expect((await auditOf(world.api, 'console/model-roles')).at(-1)?.data['after']).toBeNull()
  })

  it('names models of models.yaml, with a hint at the nearest', async () => {
    const answer = await put({ judge: { model: 'echo', fallback: 'ecco' } })
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      {
        code: 'validation_failed',
        detail: expect.stringContaining('there is no model ecco; did you mean echo?'),
        errors: [{ pointer: '/roles/judge/fallback' }],
      },
    ])
  })
})

it('says of a role whose model is gone that nothing answers in it', async () => {
  await world.database.db`
    insert into console_documents (kind, workspace_id, name, document, author)
    values ('model_roles', '*', 'roles', ${JSON.stringify({ roles: { judge: { model: 'gone' } } })}, 'usr_ann')
    on conflict (kind, workspace_id, name) do update set document = excluded.document`
  await world.api.deps.models.models.reloadConsole()
  expect(await (await world.api.get('/ui/api/model-roles')).json()).toMatchObject({
    roles: { judge: { model: 'gone', layer: 'console', problem: 'there is no model gone in models.yaml' } },
  })
  await expect(answeredBy('judge')).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('svc models roles judge='),
  })
  await put({})
})

it('takes an admin of all workspaces', async () => {
  const { api } = await sharedWorld()
  const admin = await addUser(api.deps, { roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] })
  const answer = await api.app.request('/ui/api/model-roles', {
    method: 'PUT',
    body: JSON.stringify({ roles: {} }),
    headers: { 'content-type': 'application/json', ...(await bearer(api.deps, admin)) },
  })
  expect(await codeOf(answer)).toEqual([403, 'forbidden'])
})
