import { expect, test } from 'vitest'
import { detailText } from '../../../console/src/features/admin/detail-text.ts'

test('details of a check read as words, with the unit behind its number', () => {
  const workers = [
    { worker_id: 'w1', lanes: ['realtime', 'background'], age_ms: 1062 },
    { worker_id: 'w2', lanes: ['realtime'], age_ms: 4 },
  ]
  expect(detailText({ ok: true, latency_ms: 7.2, workers })).toBe(
    'latency 7.2 ms, workers worker id w1 lanes realtime and background age 1062 ms and worker id w2 lanes realtime age 4 ms',
  )
  expect(detailText(undefined)).toBe('')
})
