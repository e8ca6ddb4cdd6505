import { z } from '@hono/zod-openapi'
import { AskAnswer, AskRequest, AskThread } from '#core/ask/ask-schema.ts'
import { askQuestion, getAskThread } from '#services/ask/ask-question.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { answerTurn } from '../../to-chat-prompt.ts'
import { TURN_STREAM } from '../../turn-stream.ts'

const Params = z.object({
  id: z.string().max(100).meta({ description: 'Id of a thread', example: 'thr_01hzy3v9k5m8q2w4x6z8b0d2f4' }),
})

export const getAskThreadRoute = defineRoute(
  {
    operationId: 'getAskThread',
    method: 'get',
    path: '/ask/thread/{id}',
    tags: ['ask'],
    access: 'read',
    auth: 'user',
    summary: 'A conversation with the ask agent',
    description:
      'What the caller asked in this thread and what was answered, oldest first. A foreign thread is empty, exactly like one that does not exist.',
    request: { params: Params },
    responses: { 200: ok(AskThread, 'The thread; empty if there is none') },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ask: c.get('deps').ask.ports }
    return c.json(await getAskThread(ctx, c.req.valid('param').id), 200)
  },
)

export const askQuestionRoute = defineRoute(
  {
    operationId: 'askQuestion',
    method: 'post',
    path: '/ask',
    tags: ['ask'],
    verb: askQuestion,
    summary: 'Ask about this workspace',
    description: `Answers from the results of read-only tools, and says so where they find nothing (\`grounded: false\`). For a request to run something, \`action\` is the form of that run, and nothing starts until a user sends it. Every turn has a hard cap and is recorded as \`ask.answered\`. ${TURN_STREAM}`,
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
