import { expect, test } from 'vitest'
import { PipelineEventSnapshot } from '#core/pipeline/schema.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listPipelineEvents')

test('answers a page in order and says whether there is more', async () => {
  const { api, as, pipeline } = await sharedWorld()
  const id = await pipeline('ended')
  const page = async (query: string) =>
    PipelineEventSnapshot.parse(await (await api.get(`/pipelines/${id}/events${query}`, as('viewer'))).json())
  const all = await page('')
  expect(all.events.map(({ seq }) => seq)).toEqual(all.events.map((_, index) => index + 1))
  expect(all.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['pipeline.queued', 'pipeline.cancelling', 'step.cancelled', 'pipeline.cancelled']),
  )
  expect(all).toMatchObject({ pipeline_id: id, terminal: true, has_more: false, last_seq: all.events.length })
  const first = await page('?limit=2')
  expect(first).toMatchObject({ last_seq: 2, has_more: true })
  expect((await page('?after_seq=2')).events).toEqual(all.events.slice(2))
  expect(await page(`?after_seq=${all.last_seq}`)).toMatchObject({ events: [], has_more: false })
})

test('an event says who did it, where somebody did', async () => {
  const { api, as, pipeline } = await sharedWorld()
  const id = await pipeline()
  const { events } = PipelineEventSnapshot.parse(await (await api.get(`/pipelines/${id}/events`, as('owner'))).json())
  expect(events).toMatchObject([
    { seq: 1, id: `${id}.1`, type: 'pipeline.queued', actor: { type: 'user' }, data: { name: 'manual' } },
  ])
})
