import { expect, test } from 'vitest'
import { z } from 'zod'
import { Pipeline } from '#core/pipeline/schema.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { guardWorld, itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

itIsGuarded('listPipelines')
itRefuses('listPipelines', sharedWorld, [
  [400, 'invalid_cursor', likeItsExample({ query: { cursor: 'x' } })],
  [422, 'validation_failed', likeItsExample({ query: { status: 'queued,done' } })],
])

const world = guardWorld()

const get = (path: string) => world.api.get(path, world.as('owner'))
const list = async (query: string) =>
  z
    .array(Pipeline)
    .parse(await (await get(`/pipelines?${query}`)).json())
    .map(({ id }) => id)

test('pages through every pipeline exactly once, newest first, and counts them', async () => {
  const environment = world.name('listed')
  await world.api.post('/ui/api/environments', { name: environment }, world.as('owner'))
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) {
    const body = { bundle_path: 'guard', pipeline_name: n === 0 ? 'later' : 'manual', environment }
    const answer = await world.api.post('/pipelines/run', body, world.as('owner'))
    ids.push(((await answer.json()) as { pipeline_id: string }).pipeline_id)
  }
  const seen: string[] = []
  let path: string | undefined = `/pipelines?environment=${environment}&limit=2`
  while (path !== undefined) {
    const answer: Response = await get(path)
    expect(answer.headers.get('x-total-count')).toBe('5')
    seen.push(...((await answer.json()) as { id: string }[]).map(({ id }) => id))
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  expect(seen).toEqual(ids.toReversed())
  expect(await list(`environment=${environment}&name=later`)).toEqual([ids[0]])
  expect(await list(`environment=${environment}&status=running,blocked`)).toEqual([])
  expect(await list(`environment=${environment}&status=running&status=queued&limit=200`)).toHaveLength(5)
})

test('narrows by status', async () => {
  const [queued, ended, parked] = [
    await world.pipeline(),
    await world.pipeline('ended'),
    await world.pipeline('parked'),
  ]
  expect(await list('status=cancelled&limit=1')).toEqual([ended])
  expect(await list('status=blocked&limit=1')).toEqual([parked])
  expect(await list('status=queued&limit=200')).toContain(queued)
})

test('another workspace has none of them', async () => {
  await world.pipeline()
  const answer = await world.api.get('/pipelines', world.as('stranger'))
  expect(await answer.json()).toEqual([])
  const torn = await world.api.get('/pipelines', {
    ...world.as('stranger'),
    'x-svc-workspace': 'ws_00000000000000000000000000',
  })
  expect(await codeOf(torn)).toEqual([404, 'not_found'])
})

test('finds those whose ids begin so, and no others', async () => {
  const [one, other] = [await world.pipeline(), await world.pipeline()]
  expect(await list(`id=${one}`)).toEqual([one])
  expect(await list(`id=${other.slice(0, -1)}`)).toContain(other)
  expect(await list('id=pl_0')).toContain(one)
  expect(await list('id=pl_7zzzzz')).toEqual([])
  expect(await codeOf(await get('/pipelines?id=%25'))).toEqual([422, 'validation_failed'])
})
