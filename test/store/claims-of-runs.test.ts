import { expect, test } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { admitTestRun } from '../support/test-runs.ts'

const database = testDatabase()
const api = testApi(database)

/** Takes the run; answers with how many processes have ended with what comes next. */
async function take(run_id: string) {
  const taken = await api.runs.take(run_id)
  if ('refused' in taken) throw new Error(taken.refused)
  return { run_id, fence: taken.recorded.fence, ended: taken.head.processes_ended }
}
const open = {
  step_id: 'act',
  ordinal: 0,
  attempt: 1,
  plan_hash: 'sha256:1',
  reserve_micro_usd: 0,
  ask_standing: false,
}

test('a process that takes a run and neither ends nor lets go of it counts, until a step begins or ends', async () => {
  const id = await admitTestRun(api)
  expect((await take(id)).ended).toBe(0)
  const second = await take(id)
  expect(second.ended).toBe(1)
  expect(await api.runs.mayCrash(id)).toBe(true)
  await api.runs.record({ run_id: id, fence: second.fence, open })
  const third = await take(id)
  expect(third.ended).toBe(1)
  // the same step once more is nothing new
  await api.runs.record({ run_id: id, fence: third.fence, open: { ...open, attempt: 2, again: true } })
  const fourth = await take(id)
  expect(fourth.ended).toBe(2)
  const settle = { step_id: 'act', ordinal: 0, state: 'succeeded' as const, attempt: 2 }
  await api.runs.record({ run_id: id, fence: fourth.fence, settle, let_go: true })
  expect(await api.runs.mayCrash(id)).toBe(false)
  expect((await take(id)).ended).toBe(0)
})

test('one that lets go does not count, also when another has the run by then', async () => {
  const id = await admitTestRun(api)
  for (let n = 0; n < 4; n += 1) {
    const { fence, ended } = await take(id)
    expect(ended).toBe(0)
    await api.runs.record({ run_id: id, fence, let_go: true })
  }
  const frozen = await take(id)
  expect((await take(id)).ended).toBe(1)
  await api.runs.record({ run_id: id, fence: frozen.fence, any_fence: true, let_go: true })
  expect((await take(id)).ended).toBe(1)
})

test('a run that nobody has taken is only read, unless it has waited', async () => {
  const id = await admitTestRun(api)
  const [run] = await database.db<{ workspace_id: string; lane: 'realtime' }[]>`
    select workspace_id, lane from runs where id = ${id}`
  const claim = run ?? expect.fail('no run')
  for (const unread_ms of [undefined, 60_000])
    expect(await api.runs.take(id, { ...claim, unread_ms })).toMatchObject({ recorded: { fence: 0 } })
  expect(await api.runs.take(id, { ...claim, unread_ms: 0 })).toMatchObject({ recorded: { fence: 1 } })
})
