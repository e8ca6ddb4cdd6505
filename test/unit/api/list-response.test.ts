import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { ApiEnv } from '#api/context.ts'
import { pageHeaders } from '#api/list-response.ts'
import { readPage } from '#services/list-page.ts'

/** Headers of the first page of a list of so many. */
async function headersOf(size: number): Promise<Headers> {
  const app = new Hono<ApiEnv>()
  app.get('/things', async (c) => {
    c.set('full_path', '/workspaces/ws_1/things')
    const rows = Array.from({ length: size }, (_, n) => ({ position: '2026-01-01 00:00:00+00', id: `thg_${n}` }))
    pageHeaders(
      c,
      await readPage(
        { limit: 50 },
        {
          prefix: 'thg',
          rows: async ({ limit }) => rows.slice(0, limit),
          count: async (up_to) => Math.min(size, up_to),
          toItem: (row) => row,
        },
      ),
    )
    return c.body(null)
  })
  return (await app.request('/things?limit=50')).headers
}

it.each([
  [0, '0', null, false],
  [50, '50', null, false],
  [1_000, '1000', null, true],
  [1_001, null, '1000', true],
  [70_000, null, '1000', true],
])(
  'a list of %i says how many there are, or how far was counted, and never both',
  async (size, count, at_least, more) => {
    const headers = await headersOf(size)
    expect([headers.get('x-total-count'), headers.get('x-total-at-least')]).toEqual([count, at_least])
    expect(/^<\/workspaces\/ws_1\/things\?limit=50&cursor=\w+>; rel="next"$/.test(headers.get('link') ?? '')).toBe(more)
  },
)
