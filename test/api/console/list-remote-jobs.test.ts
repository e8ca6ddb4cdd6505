import { beforeAll, expect, test } from 'vitest'
import type { RemoteJobRecord } from '#core/remote-job/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { openRemoteStep } from '#test/support/begin-remote-job.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { admitTestRun } from '#test/support/test-runs.ts'

itIsGuarded('listRemoteJobs')
itRefuses('listRemoteJobs', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

const database = testDatabase()
const api = testApi(database)
const jobs: { id: string; run_id: string }[] = []
beforeAll(async () => {
  for (let nth = 0; nth < 3; nth += 1) jobs.push(await openRemoteStep(database.db, await admitTestRun(api)))
  await database.db`update remote_jobs set state = 'running', started_at = now() where id = ${jobs[1]?.id ?? ''}`
})

const list = async (query: string) =>
  ((await (await api.get(`/console/api/remote-jobs${query}`)).json()) as RemoteJobRecord[]).map(({ id }) => id)

test('lists the newest first, of a run, a queue or a state', async () => {
  const [first, second, third] = jobs.map(({ id }) => id)
  expect(await list('')).toEqual([third, second, first])
  expect(await list(`?run_id=${jobs[0]?.run_id}`)).toEqual([first])
  expect(await list('?state=running')).toEqual([second])
  expect([await list('?queue=ml'), await list('?queue=other')].map(({ length }) => length)).toEqual([3, 0])
  expect(await list('?limit=2')).toEqual([third, second])
})
