import { HaltDraft, HaltRecord } from '#core/halt/schema.ts'
import { setHalt } from '#services/halts/set-halt.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

export const setHaltRoute = defineRoute(
  {
    operationId: 'setHalt',
    method: 'post',
    path: '/console/api/halts',
    tags: ['halts'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Stop everything that a scope covers',
    description:
      'After the answer no step is opened that the scope covers, in any process; one that was opened before may reach its target for half a second. Starts answer 423 `halted`, runs that are under way wait where they stand, and gates may be answered meanwhile. What had begun before ends by itself. A scope without a workspace takes an owner or admin of all workspaces. A name that nobody knows is refused: no environment or template that is loaded, no user or schedule, and no active run has it.',
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
