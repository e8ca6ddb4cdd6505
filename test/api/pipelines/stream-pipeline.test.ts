import { createParser } from 'eventsource-parser'
import { expect, test } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'
import { takeTurn } from '#test/support/pipeline-place.ts'

itIsGuarded('streamPipeline')

const world = guardWorld()

const follow = (id: string, rest = '', headers: Record<string, string> = {}) =>
  world.api.get(`/pipelines/${id}/stream${rest}`, { ...world.as('owner'), ...headers })

/** Every frame until the server closes. */
async function frames(
  answer: Response,
): Promise<{ id: string | undefined; event: string | undefined; data: string }[]> {
  const found: { id: string | undefined; event: string | undefined; data: string }[] = []
  const parser = createParser({ onEvent: ({ id, event, data }) => found.push({ id, event, data }) })
  parser.feed(await answer.text())
  return found
}

test('what is on record, then what happens, then the end', async () => {
  const id = await world.pipeline('ready')
  const reading = follow(id).then(frames)
  const cancelled = await world.api.post(`/pipelines/${id}/cancel`, {}, world.as('owner'))
  expect(cancelled.status).toBe(202)
  await takeTurn(world.api, id)
  const seen = await reading
  expect(seen.at(-1)?.event).toBe('end')
  const events = seen.slice(0, -1).map(({ data }) => JSON.parse(data) as { seq: number; type: string })
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events.at(-1)?.type).toBe('pipeline.cancelled')
})

test('goes on after a number, by query or by Last-Event-ID, the query first', async () => {
  const id = await world.pipeline('ended')
  const all = (await frames(await follow(id))).map(({ id: seq }) => seq)
  expect((await frames(await follow(id, '?after_seq=2'))).map(({ id: seq }) => seq)).toEqual(all.slice(2))
  expect((await frames(await follow(id, '', { 'last-event-id': '3' }))).map(({ id: seq }) => seq)).toEqual(all.slice(3))
  const both = await frames(await follow(id, '?after_seq=2', { 'last-event-id': '3' }))
  expect(both.map(({ id: seq }) => seq)).toEqual(all.slice(2))
})

test('refuses the stream after the hundredth of a workspace and takes it again when one leaves', async () => {
  const id = await world.pipeline()
  const open = await Promise.all(Array.from({ length: 100 }, () => follow(id)))
  const refused = await follow(id)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await codeOf(refused)).toEqual([429, 'rate_limited'])
  await open[0]?.body?.cancel()
  const taken = await follow(id)
  expect(taken.status).toBe(200)
  await Promise.all([taken, ...open.slice(1)].map((answer) => answer.body?.cancel()))
})
