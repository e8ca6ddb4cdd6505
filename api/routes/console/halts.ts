import { z } from '@hono/zod-openapi'
import { RefusedStart } from '#core/halt/refused-schema.ts'
import { HaltDraft, HaltRecord } from '#core/halt/schema.ts'
import { liftHalt, listHalts, setHalt } from '#services/halts/halts.ts'
import { listRefusedStarts } from '#services/halts/list-refused.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

const HaltId = z.object({ id: z.string().max(100).meta({ description: 'Identifier of a halt' }) })

export const liftHaltRoute = defineRoute(
  {
    operationId: 'liftHalt',
    method: 'delete',
    path: '/console/api/halts/{id}',
    tags: ['halts'],
    verb: liftHalt,
    summary: 'Lift a halt',
    description:
      'Held runs continue where they stopped, within about a second, unless another halt holds them too. Every step is judged again; an earlier approval counts if it still covers the plan.',
    request: { params: HaltId },
    responses: { 204: { description: 'The halt was lifted' } },
  },
  async (c) => {
    const { workspaces: directory, identity, reads } = c.get('deps')
    const ctx = { ...c.get('ctx'), directory, users: identity.users, schedules: reads.schedules.store }
    await liftHalt(ctx, c.req.valid('param').id)
    return c.body(null, 204)
  },
)

export const setHaltRoute = defineRoute(
  {
    operationId: 'setHalt',
    method: 'post',
    path: '/console/api/halts',
    tags: ['halts'],
    verb: setHalt,
    summary: 'Stop everything that a scope covers',
    description:
      'After the answer no step is opened that the scope covers, in any process; one that was opened before may reach its target for half a second. Starts answer 423 `halted`, running runs wait at their next step, and gates may be answered meanwhile. Steps that had begun before finish. Approvers and operators halt workspaces that they may enter: the scope names one, whatever else it names. A scope without a workspace takes an owner or admin of all workspaces; the addressed workspace (`X-Svc-Workspace`, or the path) never narrows a scope. It is announced on the channels of the workspace, and lifted by an admin. An unknown name is refused: no environment or template that is loaded, no user or schedule, and no active run has it.',
    request: { body: json(HaltDraft) },
    responses: { 201: ok(HaltRecord, 'The halt, in force, with how many runs it holds') },
    idempotent: true,
  },
  async (c) => {
    const { workspaces: directory, identity, reads } = c.get('deps')
    const ctx = { ...c.get('ctx'), directory, users: identity.users, schedules: reads.schedules.store }
    return c.json(await setHalt(ctx, c.req.valid('json')), 201)
  },
)

export const listHaltsRoute = defineRoute(
  {
    operationId: 'listHalts',
    method: 'get',
    path: '/console/api/halts',
    tags: ['halts'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List the halts in force',
    description:
      'Those over every workspace and those of the workspaces that the caller may enter, the newest first. One over every workspace says who set it only to those who may enter all, and counts the runs that it holds in yours.',
    request: {
      query: z.object({
        lifted: z.enum(['true', 'false']).optional().meta({
          description:
            'Also the last ten that have refused starts in your workspaces and were lifted within seven days, behind those in force',
        }),
      }),
    },
    responses: { 200: ok(z.array(HaltRecord), 'The halts') },
  },
  async (c) => {
    const { workspaces: directory, identity } = c.get('deps')
    const ctx = { ...c.get('ctx'), directory, users: identity.users }
    return c.json(await listHalts(ctx, { lifted: c.req.valid('query').lifted === 'true' }), 200)
  },
)

export const listRefusedStartsRoute = defineRoute(
  {
    operationId: 'listRefusedStarts',
    method: 'get',
    path: '/console/api/halts/{id}/refused',
    tags: ['halts'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List the starts that a halt has refused',
    description:
      'Newest first, of the workspaces that the caller may enter, also after the halt was lifted. Starts of one alert, or of one request, are one entry with a count. `start` is the request that starts it, for an operator, once no halt covers it; in the workspace of `workspace_id`. Dry runs, and runs of pipelines, which are tried again by themselves, are left out.',
    request: { params: HaltId, query: z.object(pageQuery) },
    responses: { 200: listOf(RefusedStart, 'refused starts') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), directory: c.get('deps').workspaces }
    const page = await listRefusedStarts(ctx, { ...c.req.valid('param'), ...c.req.valid('query') })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
