import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openEnvironments } from '#test/support/open-environments.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('createEnvironment')

const ENVIRONMENTS = '/ui/api/environments'
const CANARY = `# before production
name: canary
class: staging
cost_gate: { max_usd: 0.5 }
approval: { min_approvals: 2 }
`
let processes: ReturnType<typeof openEnvironments>['environments'][]
let api: TestApi
let owner: Record<string, string>

const database = testDatabase()
beforeAll(async () => {
  const files = { 'environments/live.yaml': 'name: live\n', 'environments/torn.yaml': 'name: [\n' }
  processes = [0, 1].map(() => openEnvironments(database.db, files).environments)
  api = await createTestApi(database, { secret: SECRET, content: { environments: processes[0] ?? {} } })
  owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
})
afterAll(async () => {
  await api?.close()
  for (const each of processes ?? []) each.close()
})

const post = (text: string, headers = owner) => sendYaml(api, ['POST', ENVIRONMENTS], text, headers)

it('makes one that is there at once where it was written and everywhere soon after, on record with what it loosens', async () => {
  const answer = await post(CANARY)
  expect([answer.status, answer.headers.get('location')]).toEqual([201, `${ENVIRONMENTS}/canary`])
  expect(await answer.json()).toMatchObject({
    ...{ name: 'canary', class: 'staging', document: CANARY, layers: ['console'], workspaces: ['default'] },
    ...{ cost_gate: { max_usd: 0.5 }, approval: { min_approvals: 2 }, loosens: expect.arrayContaining(['class']) },
  })
  expect(processes[0]?.get('canary')).toMatchObject({ class: 'staging', egress: [] })
  await vi.waitFor(() => expect(processes[1]?.get('canary')).toEqual(processes[0]?.get('canary')), PATIENCE)
  expect(await auditOf(api, 'console/environments/canary')).toMatchObject([
    { action: 'environment.created', data: { before: null, after: expect.stringMatching(/^sha256:/) } },
  ])
})

it('refuses names that are taken in any layer, names of nothing, and what files alone may say', async () => {
  for (const name of ['canary', 'live', 'production'])
    expect(await codeOf(await post(`name: ${name}\n`))).toEqual([409, 'conflict'])
  for (const [text, hint] of [
    ['name: x\npolicies: [nobody]\n', 'there is no console policy nobody'],
    ['name: x\nprofile: nobody\n', 'there is no profile nobody'],
    ['name: x\napproval: { channels: [nobody] }\n', 'there is no channel nobody'],
    ['name: x\nclas: staging\n', 'did you mean class?'],
    ['name: x\negress: [loopback]\n', 'files'],
    ['name: x\nconnections: { db: { kind: postgres, url: "env:OBS_JWT_SECRET" } }\n', 'environments/<name>.yaml'],
    ['name: x\nfreeze: [{ name: night, cron: "* * *" }]\n', ''],
  ] as const) {
    const answer = await post(text)
    const { code, errors } = (await answer.json()) as { code: string; errors: { msg: string }[] }
    expect([answer.status, code], text).toEqual([422, 'validation_failed'])
    if (hint !== 'files') expect(errors.map(({ msg }) => msg).join()).toContain(hint)
  }
  // what its file would have restricted is not known
  expect(await codeOf(await post('name: torn\n'))).toEqual([409, 'conflict'])
  expect(await database.db`select from console_documents where name in ('x', 'torn', 'live')`).toHaveLength(0)
})

it('takes somebody who stands above all workspaces', async () => {
  const own = await bearer(api.deps, await addUser(api.deps, { roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] }))
  expect(await codeOf(await post('name: mine\n', own))).toEqual([403, 'forbidden'])
})
