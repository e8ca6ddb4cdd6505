import { z } from '@hono/zod-openapi'
import { AskAnswer, PlanQuestion } from '#core/ask/ask-schema.ts'
import { resolvePlan } from '#services/ask/resolve-plan.ts'
import { answerTurn } from '../../answer-turn.ts'
import { defineRoute, json } from '../../define-route.ts'
import { TURN_STREAM } from '../../turn-stream.ts'

export const resolvePlanRoute = defineRoute(
  {
    operationId: 'resolvePlan',
    method: 'post',
    path: '/console/api/ask',
    tags: ['ask'],
    access: 'write',
    auth: 'user',
    summary: 'Resolve an intent to a plan',
    description: `The same turn as \`POST /ask\`, in a thread of its own. A small model answers it unless the request names another. ${TURN_STREAM}`,
    request: { body: json(PlanQuestion) },
    responses: {
      200: {
        description: 'The answer, with the form of the run where one fits',
        content: { 'application/json': { schema: AskAnswer }, 'text/event-stream': { schema: z.string() } },
      },
    },
    problems: ['BudgetExceeded', 'policy_denied', 'needs_approval', 'frozen', 'halted', 'not_configured'],
    idempotent: true,
  },
  async (c) => await answerTurn(c, (ctx, hooks) => resolvePlan(ctx, c.req.valid('json'), hooks)),
)
