import { z } from '@hono/zod-openapi'
import { AuditCheckpoint, AuditRecordShown } from '#core/audit/record-schema.ts'
import { AUDIT_CATEGORIES } from '#core/audit/types.ts'
import { RunId } from '#core/run/schema.ts'
import { exportAudit, getAuditCheckpoint, listAudit } from '#services/audit/list-audit.ts'
import { csvResponse } from '../../csv-response.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

export const getAuditCheckpointRoute = defineRoute(
  {
    operationId: 'getAuditCheckpoint',
    method: 'get',
    path: '/console/api/audit/checkpoint',
    tags: ['audit'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Where the audit chain ends',
    description: 'By the database, with what the check that runs all the time found in the log. It is not signed.',
    responses: { 200: ok(AuditCheckpoint, 'The end of the chain') },
  },
  async (c) => c.json(await getAuditCheckpoint(c.get('ctx')), 200),
)

const Time = z.iso.datetime({ offset: true })
const page = listOf(AuditRecordShown, 'records')

export const listAuditRoute = defineRoute(
  {
    operationId: 'listAudit',
    method: 'get',
    path: '/console/api/audit',
    tags: ['audit'],
    access: 'read',
    auth: 'user',
    summary: 'List the records of the audit log, newest first',
    description:
      'Those of the workspace that have their place in the chain, each as it was hashed. As CSV all that match are streamed, and `limit` and `cursor` mean nothing; a cell that begins like a formula has an apostrophe before it.',
    request: {
      query: z.object({
        category: z.enum(AUDIT_CATEGORIES).optional(),
        actor: z.string().min(1).max(200).optional().meta({
          description:
            'Id of who acted, or a part of the name, the mail address or the id of people of the workspace; upper and lower case are equal. Everybody who fits is found. Those who may not see mail addresses find people by a whole one',
        }),
        people: z.enum(['true', 'false']).optional().meta({ description: 'Only what people did' }),
        run_id: RunId.optional(),
        from: Time.optional().meta({ description: 'From this time on' }),
        to: Time.optional().meta({ description: 'Before this time' }),
        format: z.enum(['json', 'csv']).default('json'),
        ...pageQuery,
      }),
    },
    responses: {
      200: { ...page, content: { ...page.content, 'text/csv': { schema: z.string() } } },
    },
    problems: ['invalid_cursor'],
    downloads_by: ['format'],
  },
  async (c) => {
    const { format, people, ...asked } = c.req.valid('query')
    const query = { ...asked, people: people === 'true' }
    const { limit: _limit, cursor: _cursor, ...filter } = query
    if (format === 'csv') return csvResponse('audit.csv', exportAudit(c.get('ctx'), filter))
    const found = await listAudit(c.get('ctx'), query)
    pageHeaders(c, found)
    return c.json(z.array(AuditRecordShown).parse(found.items), 200)
  },
)
