import { z } from '@hono/zod-openapi'
import { Lane, Run } from '#core/run/schema.ts'
import { RUN_STATUSES, type RunStatus } from '#core/run/status.ts'
import { listRuns } from '#services/runs/list-runs.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

/** Words that other tools use for our statuses. */
const ALIASES: Record<string, RunStatus> = { completed: 'succeeded', success: 'succeeded', canceled: 'cancelled' }

const StatusFilter = z
  .string()
  .max(200)
  .meta({
    description: `One status or several with commas between: ${RUN_STATUSES.join(', ')}; \`completed\`, \`success\` and \`canceled\` are understood`,
    example: 'awaiting_approval',
  })
  .transform((text, check) =>
    text.split(',').map((word) => {
      const status = RUN_STATUSES.find((known) => known === (ALIASES[word] ?? word))
      if (status === undefined)
        check.addIssue({
          code: 'custom',
          message: `is not a run status; there are ${RUN_STATUSES.join(', ')}`,
          input: word,
        })
      return status ?? 'queued'
    }),
  )

export const listRunsRoute = defineRoute(
  {
    operationId: 'listRuns',
    method: 'get',
    path: '/runs',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'List runs, newest first',
    request: {
      query: z.object({
        lane: Lane.optional(),
        status: StatusFilter.optional(),
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(Run, 'runs') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const { status, ...query } = c.req.valid('query')
    const page = await listRuns(c.get('ctx'), { ...query, statuses: status })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
