import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { canonicalText } from '#core/json/canonical.ts'
import { Run } from '#core/run/schema.ts'
import { RunStep } from '#core/run/step-schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, finishTestRun } from '#test/support/test-runs.ts'

itIsGuarded('listSteps')

const database = testDatabase()
const api = testApi(database)

const Steps = z.array(z.strictObject(RunStep.shape))

it('lists every step of the plan, also those that have not begun', async () => {
  const id = await admitTestRun(api)
  const response = await api.get(`/runs/${id}/steps`)
  expect(response.status).toBe(200)
  expect(Steps.parse(await response.json())).toMatchObject([
    { run_id: id, id: 'evidence', operator: 'http.request@1', state: 'pending', attempt: 0, cost_usd: 0, gates: [] },
    { run_id: id, id: 'act', state: 'pending', links: { self: `/runs/${id}/steps/act` } },
  ])
})

it('says of an ended run which steps were never reached', async () => {
  const id = await admitTestRun(api)
  await finishTestRun(api, id, { step_id: 'evidence', ordinal: 0, attempt: 1, state: 'failed' }, 'failed')
  const states = [
    ['evidence', 'failed'],
    ['act', 'not_reached'],
  ]
  const steps = Steps.parse(await (await api.get(`/runs/${id}/steps`)).json())
  expect(steps.map((step) => [step.id, step.state])).toEqual(states)
  const { progress } = Run.parse(await (await api.get(`/runs/${id}`)).json())
  expect(progress.steps.map((step) => [step.id, step.state])).toEqual(states)
})

it('shows what came out, and of what is large the beginning with the digest of all of it', async () => {
  const id = await admitTestRun(api)
  const outputs = { status: 503, rows: 'x'.repeat(10_000) }
  const step = { step_id: 'evidence', ordinal: 0, attempt: 1 }
  await api.runs.take(id)
  await api.runs.record({ run_id: id, fence: 1, settle: { ...step, state: 'succeeded', outputs } })
  const [evidence] = Steps.parse(await (await api.get(`/runs/${id}/steps`)).json())
  const digest = `sha256:${createHash('sha256').update(canonicalText(outputs)).digest('hex')}`
  expect(evidence?.outputs).toMatchObject({ digest, bytes: 10_024, cut: true })
  expect(evidence?.outputs?.excerpt).toMatch(/^(status: 503|rows: x)/)
  expect(evidence?.outputs).not.toHaveProperty('value')
})
