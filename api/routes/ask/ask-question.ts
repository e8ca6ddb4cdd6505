import { z } from '@hono/zod-openapi'
import { AskAnswer, AskRequest } from '#core/ask/ask-schema.ts'
import { askQuestion } from '#services/ask/ask-question.ts'
import { answerTurn } from '../../answer-turn.ts'
import { defineRoute, json } from '../../define-route.ts'
import { TURN_STREAM } from '../../turn-stream.ts'

export const askQuestionRoute = defineRoute(
  {
    operationId: 'askQuestion',
    method: 'post',
    path: '/ask',
    tags: ['ask'],
    access: 'write',
    auth: 'user',
    summary: 'Ask about this workspace',
    description: `Answers from what read-only tools find, and says so where they find nothing (\`grounded: false\`). If something is to be run, \`action\` is the form of that run, and nothing starts until somebody sends it. Every turn has a hard cap and is recorded as \`ask.answered\`. ${TURN_STREAM}`,
    request: { body: json(AskRequest) },
    responses: {
      200: {
        description: 'The answer, grounded or not',
        content: { 'application/json': { schema: AskAnswer }, 'text/event-stream': { schema: z.string() } },
      },
    },
    problems: ['BudgetExceeded', 'policy_denied', 'needs_approval', 'frozen', 'halted', 'not_configured'],
    idempotent: true,
  },
  async (c) => await answerTurn(c, (ctx, hooks) => askQuestion(ctx, c.req.valid('json'), hooks)),
)
