import { beforeAll, expect, it } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'

itIsGuarded('listConsolePolicies')

const OTHER = 'ws_0000000000000000000000000b'

const database = testDatabase()
const api = testApi(database)
beforeAll(() => addWorkspace(database, OTHER, 'other'))

it('lists those of its workspace by name, and says what is wrong with one that was stored otherwise', async () => {
  const policy = (name: string) => ({ name, rules: [{ effect: 'deny' }] })
  for (const name of ['zulu', 'alpha']) await api.post('/ui/api/policies', policy(name))
  await api.post('/ui/api/policies', policy('theirs'), { 'x-svc-workspace': OTHER })
  await database.db`
    insert into console_policies (workspace_id, name, document, author)
    values ('ws_00000000000000000000000000', 'broken', 'rules: 1', 'usr_ann')`
  const answer = await api.get('/ui/api/policies')
  expect(answer.headers.get('x-total-count')).toBe('3')
  const list = (await answer.json()) as { name: string; problems: object[]; rules?: object[] }[]
  expect(list.map(({ name }) => name)).toEqual(['alpha', 'broken', 'zulu'])
  expect(list[1]?.rules).toBeUndefined()
  expect(list[1]?.problems).toMatchObject([expect.objectContaining({ line: 1 }), expect.anything()])
  const theirs = await api.get('/ui/api/policies', { 'x-svc-workspace': OTHER })
  expect(await theirs.json()).toMatchObject([{ name: 'theirs', workspace_id: OTHER }])
})
