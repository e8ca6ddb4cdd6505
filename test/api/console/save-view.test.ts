import { beforeAll, describe, expect, it } from 'vitest'
import type { UserRow } from '#store/users.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { saveView, viewsOf } from '#test/support/saved-views.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('saveView')

const database = testDatabase()
const api = testSealedApi(database)
let ann: UserRow
let asAnn: Record<string, string>
beforeAll(async () => {
  ann = await addUser(api.deps, { roles: ['viewer'] })
  asAnn = await bearer(api.deps, ann)
})

const save = (view: object, headers = asAnn) => saveView(api, view, headers)

describe('PUT /console/api/views', () => {
  it('keeps filters under a name for one person, by page, and replaces those of the same name', async () => {
    const bob = await bearer(api.deps, await addUser(api.deps, { roles: ['viewer'] }))
    const view = { page: 'gates', name: 'of tonight', search: { risk: 'high' } }
    expect(await (await save({ ...view, name: '  of tonight ' })).json()).toEqual(view)
    await save({ ...view, name: 'Another' })
    await save({ page: 'runs', name: 'of tonight', search: { status: 'failed' } })
    const changed = { ...view, search: { environment: 'production', q: 'POST' } }
    expect((await save(changed)).status).toBe(200)
    expect(await viewsOf(api, asAnn)).toEqual([{ ...view, name: 'Another' }, changed])
    expect(await viewsOf(api, asAnn, 'runs')).toMatchObject([{ search: { status: 'failed' } }])
    expect(await viewsOf(api, bob)).toEqual([])
  })

  it('is on record', async () => {
    await save({ page: 'runs', name: 'on record', search: { q: 'x' } })
    const [row] = await database.db`
      select draft from audit_outbox where draft ->> 'action' = 'view.saved' and draft #>> '{data,name}' = 'on record'`
    expect(row?.['draft']).toMatchObject({
      category: 'config',
      actor: { id: ann.id },
      subject: { type: 'view', id: 'runs/on record' },
      data: { page: 'runs', search: { q: 'x' } },
    })
  })

  it('refuses what is too much or cannot be seen', async () => {
    const search = { risk: 'high' }
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f_${String.fromCharCode(97 + n)}`, 'x']))
    for (const wrong of [
      { page: 'audit', name: 'a', search },
      { page: 'gates', name: '   ', search },
      { page: 'gates', name: 'x'.repeat(61), search },
      { page: 'gates', name: 'a\u202eb', search },
      { page: 'gates', name: 'a', search: { 'X-Y': 'a' } },
      { page: 'gates', name: 'a', search: { q: 'x'.repeat(501) } },
      { page: 'gates', name: 'a', search: many },
    ])
      expect(await codeOf(await save(wrong))).toEqual([422, 'validation_failed'])
  })

  it('keeps at most 50 of a person, however many come at once, and still replaces one', async () => {
    const carl = await bearer(api.deps, await addUser(api.deps, { roles: ['viewer'] }))
    const statuses = await Promise.all(
      Array.from(
        { length: 53 },
        async (_, n) => (await save({ page: 'runs', name: `v${n}`, search: {} }, carl)).status,
      ),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(50)
    expect(statuses.filter((status) => status === 409)).toHaveLength(3)
    const [kept] = await viewsOf(api, carl, 'runs')
    expect((await save({ ...kept, search: { q: 'new' } }, carl)).status).toBe(200)
    expect(await codeOf(await save({ page: 'gates', name: 'one more', search: {} }, carl))).toEqual([409, 'conflict'])
  })
})
