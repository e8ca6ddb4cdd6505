import { z } from '@hono/zod-openapi'
import { REMOTE_JOB_STATES } from '#core/remote-job/contract.ts'
import { RemoteJobDetail, RemoteJobId, RemoteJobRecord } from '#core/remote-job/schema.ts'
import { RunId } from '#core/run/schema.ts'
import { getRemoteJob, listRemoteJobs } from '#services/remote-jobs/list-remote-jobs.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

export const listRemoteJobsRoute = defineRoute(
  {
    operationId: 'listRemoteJobs',
    method: 'get',
    path: '/console/api/remote-jobs',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'List what external workers do or did for steps, newest first',
    description: 'Each is one attempt of a step with the operator `temporal.activity`.',
    request: {
      query: z.object({
        state: z.enum(REMOTE_JOB_STATES).optional(),
        run_id: RunId.optional(),
        queue: z.string().min(1).max(64).optional().meta({ description: 'As steps name it', example: 'ml' }),
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(RemoteJobRecord, 'remote jobs') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listRemoteJobs(c.get('ctx'), c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)

export const getRemoteJobRoute = defineRoute(
  {
    operationId: 'getRemoteJob',
    method: 'get',
    path: '/console/api/remote-jobs/{id}',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Get a remote job, and how far it is',
    request: { params: z.object({ id: RemoteJobId }) },
    responses: { 200: ok(RemoteJobDetail, 'The remote job') },
  },
  async (c) => c.json(await getRemoteJob(c.get('ctx'), c.req.valid('param')), 200),
)
