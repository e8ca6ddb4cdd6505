import { expect, test } from 'vitest'
import { z } from 'zod'
import { NoticeDelivery } from '#core/notify/channel-schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { fillWorkspace } from '#test/support/tenants.ts'
import { admitTestRun } from '#test/support/test-runs.ts'

itIsGuarded('listRunDeliveries')
itRefuses('listRunDeliveries', sharedWorld, [
  [400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })],
])

const OTHER = 'ws_0000000000000000000000000b'

const database = testDatabase()
const api = testApi(database)

test('lists the notices of one run, where its workspace is asked, and none where nobody was told', async () => {
  const [reported, silent] = [await fillWorkspace(database, OTHER), await admitTestRun(api)]
  const ours = await api.get(`/runs/${reported}/deliveries`, { 'x-svc-workspace': OTHER })
  expect(z.array(NoticeDelivery).parse(await ours.json())).toMatchObject([
    { run_id: reported, channel: 'chat', state: 'failed' },
  ])
  expect((await api.get(`/runs/${reported}/deliveries`)).status).toBe(404)
  const none = await api.get(`/runs/${silent}/deliveries`)
  expect([none.status, await none.json(), none.headers.get('x-total-count')]).toEqual([200, [], '0'])
})

test('lists who was told how the run ended', async () => {
  const { id, workspace_id } = { id: await admitTestRun(api), workspace_id: 'ws_00000000000000000000000000' }
  await database.db`
    insert into notice_deliveries (run_id, workspace_id, kind, channel, recipient) values (${id}, ${workspace_id}, 'ended', 'chat', '#ops')`
  const answer = await api.get(`/runs/${id}/deliveries`)
  expect(z.array(NoticeDelivery).parse(await answer.json())).toMatchObject([
    { run_id: id, kind: 'ended', channel: 'chat', state: 'planned' },
  ])
})
