import { expect, test } from 'vitest'
import { pipelineIdOf } from '#cli/pipelines/pipeline-id.ts'

const idOf = (prefix: string, number: number) => `pl_${prefix}${String(number).padStart(26 - prefix.length, '0')}`

/** The newest first, and no more than are asked for. */
const apiOf = (...ids: string[]) => ({
  pipelines: async (_filter: object, limit: number) => ({ items: ids.slice(0, limit).map((id) => ({ id })) }),
})

const newer = Array.from({ length: 999 }, (_, index) => idOf('zzzz', 9_999 - index))

test('the first characters name the one pipeline that begins so', async () => {
  const api = apiOf(idOf('bbbb', 1), idOf('aaaa', 2), idOf('aaaa', 1))
  expect(await pipelineIdOf(api, 'bbbb')).toBe(idOf('bbbb', 1))
  expect(await pipelineIdOf(api, 'pl_BBBB')).toBe(idOf('bbbb', 1))
  await expect(pipelineIdOf(api, 'aaaa')).rejects.toMatchObject({ code: 'conflict' })
  await expect(pipelineIdOf(api, 'cccc')).rejects.toMatchObject({ code: 'not_found' })
  await expect(pipelineIdOf(api, 'aa')).rejects.toMatchObject({ code: 'validation_failed' })
})

test('they name none where one that is older than can be looked at may begin so, too', async () => {
  const hidden = idOf('aaaa', 1)
  await expect(pipelineIdOf(apiOf(...newer, idOf('aaaa', 2), hidden), 'aaaa')).rejects.toMatchObject({
    code: 'conflict',
  })
  // in their order whatever begins so stands together
  expect(await pipelineIdOf(apiOf(...newer.slice(1), idOf('aaaa', 2), idOf('9999', 1), hidden), 'aaaa')).toBe(
    idOf('aaaa', 2),
  )
})
