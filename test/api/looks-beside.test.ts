import { expect, test } from 'vitest'
import { guardWorld } from '#test/support/guarded-operation.ts'
import { startPipeline, takeTurn, takeTurnBeside } from '#test/support/pipeline-place.ts'
import { finishTestRun } from '#test/support/test-runs.ts'

const world = guardWorld()

test('a look beside the workflow, during which that wakes at its time, tells it of the next time', async () => {
  const { api } = world
  const id = await startPipeline(api, 'race', world.as('operator'))
  await takeTurn(api, id)
  const rows = await api.db<{ run_id: string; step_id: string }[]>`
    select run_id, step_id from pipeline_children where pipeline_id = ${id}`
  const finish = (step: string) => finishTestRun(api, rows.find(({ step_id }) => step_id === step)?.run_id ?? '')
  await finish('a')
  const concernsWorkflow = await takeTurnBeside(api, id, async () => {
    // the nearest time comes, with which the workflow wakes and goes to sleep for longer, and then `b` ends
    await api.db`update pipeline_steps set fire_at = now() where pipeline_id = ${id} and step_id = 'soon'`
    await takeTurn(api, id)
    await finish('b')
  })
  const steps =
    await api.db`select state from pipeline_steps where pipeline_id = ${id} and step_id in ('soon', 'late') order by ordinal`
  expect(steps).toMatchObject([{ state: 'succeeded' }, { state: 'waiting_timer' }])
  expect(concernsWorkflow).toBe(true)
})
