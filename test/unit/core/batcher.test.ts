import { expect, test } from 'vitest'
import { createBatcher, fitting, type Waiting } from '#core/batcher.ts'

type Asked = Waiting<{ items: number[] }, number>

function batcherOf(most: number, work: (batch: Asked[]) => Promise<void>, pause?: () => Promise<void>) {
  const batches: number[][][] = []
  const batcher = createBatcher<{ items: number[] }, number>({
    count: (waiting) => fitting(waiting, most, ({ items }) => items.length),
    work: async (batch) => {
      batches.push(batch.map(({ items }) => items))
      await work(batch)
    },
    ...(pause && { pause }),
  })
  return { ...batcher, batches }
}
const answerAll = async (batch: Asked[]) => {
  for (const { items, answer } of batch) answer(items.length)
}

test('the first goes at once, those that come meanwhile go together in the order of arrival, and each gets its answer', async () => {
  const { ask, batches } = batcherOf(100, answerAll)
  expect(await Promise.all([ask({ items: [1] }), ask({ items: [2, 3] }), ask({ items: [4, 5, 6] })])).toEqual([1, 2, 3])
  expect(batches).toEqual([
    [[1]],
    [
      [2, 3],
      [4, 5, 6],
    ],
  ])
})

test('with a pause, what comes during it is part of the batch', async () => {
  const { ask, batches } = batcherOf(100, answerAll, () => Promise.resolve())
  await Promise.all([ask({ items: [1] }), ask({ items: [2] })])
  expect(batches).toEqual([[[1], [2]]])
})

test('a batch holds no more than fits, and one that never fits goes alone', async () => {
  const { ask, batches } = batcherOf(2, answerAll, () => Promise.resolve())
  await Promise.all([[1], [2], [3], [4, 5, 6], [7]].map((items) => ask({ items })))
  expect(batches).toEqual([[[1], [2]], [[3]], [[4, 5, 6]], [[7]]])
})

test('two batches are never worked on at a time; idle waits for the last, and a batcher that was idle begins again', async () => {
  let current = 0
  const { ask, idle, waiting } = batcherOf(1, async (batch) => {
    expect(++current).toBe(1)
    await new Promise((resume) => setImmediate(resume))
    current -= 1
    await answerAll(batch)
  })
  const asked = [ask({ items: [1] }), ask({ items: [2] })]
  expect(waiting.length).toBe(1)
  await idle()
  expect(waiting.length).toBe(0)
  await Promise.all([...asked, ask({ items: [3] })])
})

test('one may fail, and what waits behind it is worked on all the same', async () => {
  const { ask } = batcherOf(1, async ([first]) =>
    first?.items[0] === 1 ? first.fail(new Error('refused')) : first?.answer(0),
  )
  const [failed, done] = await Promise.allSettled([ask({ items: [1] }), ask({ items: [2] })])
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'refused' } })
  expect(done).toEqual({ status: 'fulfilled', value: 0 })
})
