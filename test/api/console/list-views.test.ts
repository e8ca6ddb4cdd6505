import { expect, it } from 'vitest'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { saveView, viewsOf } from '#test/support/saved-views.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('listViews')

const database = testDatabase()
const api = testSealedApi(database)

it('GET /console/api/views lists those of the addressed workspace alone', async () => {
  const other = `ws_${'7'.repeat(26)}`
  const ann = await addUser(api.deps, { roles: ['viewer'] })
  const headers = await bearer(api.deps, ann)
  await saveView(api, { page: 'gates', name: 'here', search: { q: 'x' } }, headers)
  await database.db`insert into saved_views (workspace_id, user_id, page, name, search) values (${other}, ${ann.id}, 'gates', 'there', '{}')`
  expect(await viewsOf(api, headers)).toEqual([{ page: 'gates', name: 'here', search: { q: 'x' } }])
})
