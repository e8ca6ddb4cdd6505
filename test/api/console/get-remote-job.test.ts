import { expect, test } from 'vitest'
import type { RemoteJobDetail } from '#core/remote-job/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { openRemoteStep } from '#test/support/begin-remote-job.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getRemoteJob')

const database = testDatabase()
const api = testApi(database)

test('says nothing of the engine where that does not answer, and nothing of the result', async () => {
  const { id, run_id } = await openRemoteStep(database.db, await admitTestRun(api))
  await database.db`update remote_jobs set state = 'running', started_at = now() where id = ${id}`
  const answer = await api.get(`/console/api/remote-jobs/${id}`)
  const job = (await answer.json()) as RemoteJobDetail
  expect(job).toMatchObject({ id, run_id, queue: 'ml', task_queue: 'ml-gpu', state: 'running', pending: null })
  expect(Object.keys(job)).not.toContain('result')
})
