import { expect, test } from 'vitest'
import { endNotice } from '#activities/notify/end-notice.ts'
import { createEndViews } from '#store/notices/end-views.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { admitTestRun, finishTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser } from '#test/support/users.ts'

const database = testDatabase()
const api = testApi(database)

test('the end of a run names everybody whose approval it took and nobody else, and who asked for it', async () => {
  const { db } = database
  const [ann, bob, carol] = await Promise.all([1, 2, 3].map(() => addUser(api.deps, { roles: ['approver'] })))
  const run_id = await admitTestRun(api)
  const gate_id = await parkTestRun(api, run_id)
  for (const person of [ann, bob, carol])
    await db`insert into gate_decisions (gate_id, decision_id, decided_by, decision, channel, roles, asserted)
      values (${gate_id}, ${`dec_${person?.id}`}, ${person?.id ?? ''}, 'approve', 'api', '{approver}', false)`
  await db`update gates set status = 'approved', resolved_at = now(),
    resolution = ${db.json({ by: bob?.id ?? '', channel: 'api', counted: [ann, bob].map((each) => `dec_${each?.id}`) })} where id = ${gate_id}`
  await db`update runs set provenance = ${db.json({ actor: { type: 'user', id: carol?.id ?? '' } })} where id = ${run_id}`
  await finishTestRun(api, run_id)
  const ended = await createEndViews(db).find(run_id)
  if (ended === undefined) throw new Error('the run has not ended')
  expect(ended.gates.map(({ decided_by }) => decided_by)).toEqual([[ann?.email, bob?.email]])
  const notice = endNotice({ clock: Date.now, public_url: 'http://svc.test' }, ended)
  expect(notice).toMatchObject({ requested_by: carol?.email, ended: { approved_by: [ann?.email, bob?.email] } })
})
