import { beforeAll, expect, test } from 'vitest'
import { createTestApi } from '#test/support/api-client.ts'
import { askWorld, calls } from '#test/support/ask-world.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('getAskThread')

let thread: string
let turns: unknown[]
const world = askWorld()
beforeAll(async () => {
  const first = await world.ask([calls(['list_halts']), { say: 'No halt is in force.[^t1]' }], {
    query: 'is anything halted?',
  })
  thread = String(first.body['thread_id'])
  const second = await world.ask([{ say: 'Trust me.' }], { query: 'sure?', thread_id: thread })
  turns = [
    { query: 'is anything halted?', ...first.body },
    { query: 'sure?', ...second.body },
  ].map((turn) => ({ ...turn, thread_id: undefined }))
})

const read = async (id: string, who: Record<string, string>, api = world.api) => {
  const answer = await api.get(`/ask/thread/${id}`, who)
  return { status: answer.status, text: await answer.text() }
}

test('shows what was asked and answered, oldest first, as it was answered then', async () => {
  const { status, text } = await read(thread, world.ann)
  expect([status, JSON.parse(text)]).toEqual([200, { thread_id: thread, turns }])
})

test('survives the process that took the turns', async () => {
  const later = await createTestApi(world.database, { secret: SECRET })
  expect(JSON.parse((await read(thread, world.ann, later)).text)).toEqual({ thread_id: thread, turns })
  await later.close()
})

test('is empty for everybody else, byte for byte as one that never was', async () => {
  const account = await addUser(world.api.deps, { account_id: 'acc_other', roles: ['owner'], workspaces: ['*'] })
  const strangers = [world.bob, world.vic, world.mallory, await bearer(world.api.deps, account)]
  const unknown = 'thr_7zzzzzzzzzzzzzzzzzzzzzzzzz'
  for (const who of strangers) {
    const [foreign, none] = [await read(thread, who), await read(unknown, who)]
    expect(none).toEqual({ status: 200, text: JSON.stringify({ thread_id: unknown, turns: [] }) })
    expect(foreign).toEqual({ status: 200, text: none.text.replace(unknown, thread) })
  }
})

test('is of one workspace: its owner finds nothing of it in another', async () => {
  const roaming = await addUser(world.api.deps, { roles: ['owner'], workspaces: ['*'] })
  const who = await bearer(world.api.deps, roaming)
  const { body } = await world.ask([calls(['list_halts']), { say: 'No halt is in force.[^t1]' }], { who })
  const id = String(body['thread_id'])
  expect(JSON.parse((await read(id, who)).text).turns).toHaveLength(1)
  expect(JSON.parse((await read(id, { ...who, 'x-svc-workspace': world.other })).text)).toEqual({
    thread_id: id,
    turns: [],
  })
})
