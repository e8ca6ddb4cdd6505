import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { deleteView, saveView, viewsOf } from '#test/support/saved-views.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('deleteView')

const database = testDatabase()
const api = testSealedApi(database)

it('DELETE /console/api/views deletes one of the caller, on record, and none of anybody else', async () => {
  const [ann, bob] = [await addUser(api.deps, { roles: ['viewer'] }), await addUser(api.deps, { roles: ['owner'] })]
  const [asAnn, asBob] = [await bearer(api.deps, ann), await bearer(api.deps, bob)]
  const view = { page: 'gates', name: 'high & risky' }
  await saveView(api, { ...view, search: { risk: 'high' } }, asAnn)
  expect(await codeOf(await deleteView(api, view, asBob))).toEqual([404, 'not_found'])
  expect((await deleteView(api, view, asAnn)).status).toBe(204)
  expect(await viewsOf(api, asAnn)).toEqual([])
  expect(await codeOf(await deleteView(api, view, asAnn))).toEqual([404, 'not_found'])
  const records = await database.db`
    select draft from audit_outbox where draft ->> 'action' = 'view.deleted' and draft #>> '{actor,id}' in (${ann.id}, ${bob.id})`
  expect(records.map(({ draft }) => draft.actor.id)).toEqual([ann.id])
})
