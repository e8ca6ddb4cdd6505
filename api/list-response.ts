import { z } from '@hono/zod-openapi'
import type { ListPage } from '#services/list-page.ts'
import type { ApiContext } from './context.ts'
import { pageSize } from './schemas/params.ts'

/** Paging parameters of every list. */
export const pageQuery = {
  limit: pageSize(200, 50),
  cursor: z.string().max(200).optional().meta({ description: 'From the `Link` header of the page before' }),
}

/** A bare array, with its paging in headers. */
export function listOf<Schema extends z.ZodType>(schema: Schema, what: string) {
  return {
    description: `A page of ${what}`,
    headers: {
      Link: { description: 'The next page, `rel="next"` (RFC 8288)', schema: { type: 'string' as const } },
      'X-Total-Count': {
        description: `How many ${what} match; absent when there are more than are counted`,
        schema: { type: 'integer' as const },
      },
      'X-Total-At-Least': {
        description: `In place of X-Total-Count: so many ${what} were counted, and there are more`,
        schema: { type: 'integer' as const },
      },
    },
    content: { 'application/json': { schema: z.array(schema) } },
  }
}

/** Sets headers with the number of items, as far as it was counted, and the address of the next page. */
export function pageHeaders(c: ApiContext, { total, next_cursor }: ListPage<unknown>): void {
  c.header(total.capped ? 'X-Total-At-Least' : 'X-Total-Count', String(total.count))
  if (next_cursor === undefined) return
  const given = Object.entries(c.req.queries()).filter(([name]) => name !== 'cursor')
  const next = new URLSearchParams(
    given.flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
  )
  next.set('cursor', next_cursor)
  c.header('Link', `<${c.get('full_path')}?${next}>; rel="next"`)
}
