import { z } from '@hono/zod-openapi'
import { HaltDraft, HaltRecord } from '#core/halt/schema.ts'
import { liftHalt, listHalts, setHalt } from '#services/halts/halts.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

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
    request: { params: z.object({ id: z.string().max(100).meta({ description: 'Identifier of a halt' }) }) },
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
    responses: { 200: ok(z.array(HaltRecord), 'The halts in force') },
  },
  async (c) => {
    const { workspaces: directory, identity } = c.get('deps')
    return c.json(await listHalts({ ...c.get('ctx'), directory, users: identity.users }), 200)
  },
)
