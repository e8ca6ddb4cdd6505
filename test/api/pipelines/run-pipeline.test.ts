import { expect, test } from 'vitest'
import { Pipeline } from '#core/pipeline/schema.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { STARTS } from '#test/support/start-refusals.ts'

itIsGuarded('runPipeline')

const ofGuard = (fields: object) =>
  likeItsExample({ body: { bundle_path: 'guard', pipeline_name: 'manual', ...fields } })

itRefuses('runPipeline', sharedWorld, [
  [423, 'halted', STARTS.halted],
  [409, 'plan_changed', ofGuard({ bundle_digest: `sha256:${'0'.repeat(64)}` })],
  [501, 'not_configured', ofGuard({ pipeline_name: 'heard' })],
  [422, 'validation_failed', ofGuard({ bundle_path: 'broken' })],
  [422, 'validation_failed', ofGuard({ bundle_path: '../guard' })],
  [422, 'validation_failed', ofGuard({ bundle_path: '/etc' })],
  [422, 'validation_failed', ofGuard({ inputs: { surplus: 1 } })],
  [422, 'validation_failed', ofGuard({ pipeline_name: undefined })],
  [422, 'validation_failed', ofGuard({ environment: 'nowhere' })],
])

const start = async (body: object) => {
  const { api, as } = await sharedWorld()
  return await api.post('/pipelines/run', { bundle_path: 'guard', pipeline_name: 'approval', ...body }, as('owner'))
}

test('it is on record when it is answered, with its defaults and who stands behind it', async () => {
  const { api, as } = await sharedWorld()
  const answer = await start({ reason: 'a release' })
  const { pipeline_id } = (await answer.json()) as { pipeline_id: string }
  expect(answer.headers.get('location')).toBe(`/pipelines/${pipeline_id}`)
  const pipeline = Pipeline.parse(await (await api.get(`/pipelines/${pipeline_id}`, as('owner'))).json())
  expect(pipeline).toMatchObject({
    status: 'queued',
    name: 'approval',
    bundle: { path: 'guard' },
    inputs: { urls: ['x'] },
    reason: 'a release',
    steps: [{ id: 'act', state: 'pending', gate: 'approval', runs: [] }],
    provenance: { trigger: { type: 'direct' }, human_root: { user_id: expect.stringMatching(/^usr_/) } },
  })
  const records = await api.db<{ draft: object }[]>`
    select draft from audit_outbox where draft #>> '{subject,id}' = ${pipeline_id}`
  expect(records).toMatchObject([{ draft: { action: 'pipeline.admitted', category: 'trigger' } }])
})

test('what is wrong with a bundle is told with file, line and column', async () => {
  const answer = await start({ bundle_path: 'broken', pipeline_name: 'broken' })
  expect(await answer.json()).toMatchObject({
    status: 422,
    errors: [{ msg: expect.stringMatching(/pipeline\.yaml:6:\d+: there is no template incident\/service-recovry/) }],
  })
})

test('an unknown bundle is answered with the one that was most likely meant', async () => {
  const answer = await start({ bundle_path: 'gaurd' })
  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain('did you mean guard?')
})

test('a repeat under the same key starts nothing more', async () => {
  const { api, as, name } = await sharedWorld()
  const key = { 'idempotency-key': name('key') }
  const once = async () => {
    const answer = await api.post(
      '/pipelines/run',
      { bundle_path: 'guard', pipeline_name: 'manual', inputs: {} },
      { ...as('owner'), ...key },
    )
    return ((await answer.json()) as { pipeline_id: string }).pipeline_id
  }
  expect(await once()).toBe(await once())
})

test('a viewer starts none', async () => {
  const { api, as } = await sharedWorld()
  const answer = await api.post('/pipelines/run', { bundle_path: 'guard', pipeline_name: 'manual' }, as('viewer'))
  expect(await codeOf(answer)).toEqual([403, 'forbidden'])
})
