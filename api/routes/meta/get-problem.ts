import { readFile } from 'node:fs/promises'
import { z } from '@hono/zod-openapi'
import { defineRoute } from '../../define-route.ts'
import { PROBLEM_CODES } from '../../problem.ts'

export const getProblemRoute = defineRoute(
  {
    operationId: 'getProblem',
    method: 'get',
    path: '/problems/{code}',
    tags: ['meta'],
    access: 'read',
    auth: 'public',
    summary: 'Explain an error code',
    description: 'Where the `type` of a problem document leads: what it means and what to do.',
    request: { params: z.object({ code: z.enum(PROBLEM_CODES) }) },
    responses: { 200: { description: 'Markdown', content: { 'text/markdown': { schema: z.string() } } } },
  },
  async (c) => {
    const page = new URL(`../../../docs/errors/${c.req.valid('param').code}.md`, import.meta.url)
    return c.body(await readFile(page, 'utf8'), 200, { 'content-type': 'text/markdown; charset=utf-8' })
  },
)
