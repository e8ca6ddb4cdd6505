import { z } from '@hono/zod-openapi'
import { createChatCompletion } from '#services/models/call-model.ts'
import { listModels } from '#services/models/find-models.ts'
import { toChatCompletion } from '../../chat-answer.ts'
import { abortWith, answerHead, streamChunks } from '../../chat-stream.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { ChatCompletion, ModelList } from '../../schemas/chat-answer.ts'
import { ChatRequest } from '../../schemas/chat-request.ts'
import { toChatPrompt } from '../../to-chat-prompt.ts'

export const listModelsRoute = defineRoute(
  {
    operationId: 'listModels',
    method: 'get',
    path: '/v1/models',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    summary: 'List the models and roles that can be called',
    description: 'In the OpenAI format. A model without prices or limits is not listed, because it is never called.',
    responses: { 200: ok(ModelList, 'Roles first, then models; empty where none is bound') },
  },
  async (c) => {
    const found = listModels({ ...c.get('ctx'), ...c.get('deps').models })
    const data = found.map((each) => ({ ...each, object: 'model' as const, created: 0 }))
    return c.json({ object: 'list' as const, data }, 200)
  },
)

const MAX_PROMPT_BYTES = 5 * 1024 * 1024

export const createChatCompletionRoute = defineRoute(
  {
    operationId: 'createChatCompletion',
    method: 'post',
    path: '/v1/chat/completions',
    tags: ['models'],
    verb: createChatCompletion,
    summary: 'Ask a model, under every cap',
    description:
      'Chat completions in the OpenAI format, including streaming, tools and response formats. The most that the call can cost is reserved before it is sent, under the caps of the run that `X-Svc-Run-Id` names, the API key, the environment and the workspace; the actual cost is charged afterwards. Refusals have the OpenAI format; a 402 is `budget_exceeded`.',
    request: {
      headers: z.object({
        'x-svc-run-id': z
          .string()
          .max(200)
          .optional()
          .meta({ description: 'The run that the call belongs to, and whose cap it counts against' }),
      }),
      body: json(ChatRequest),
    },
    responses: {
      200: {
        description:
          'The answer; `X-Svc-Model` says which model gave it, `X-Svc-Cost-Usd` what it cost. With `stream`, chunks as Server-Sent Events and then `[DONE]`; a failure on the way is an event with `error`',
        content: { 'application/json': { schema: ChatCompletion }, 'text/event-stream': { schema: z.string() } },
      },
    },
    problems: [
      'BudgetExceeded',
      'policy_denied',
      'needs_approval',
      'frozen',
      'halted',
      'run_terminal',
      'not_configured',
    ],
    max_body_bytes: MAX_PROMPT_BYTES,
  },
  async (c) => {
    const request = c.req.valid('json')
    const { stream, stream_options } = request
    const with_usage = stream_options?.include_usage === true
    const ctx = { ...c.get('ctx'), ...c.get('deps').models }
    const disconnected = abortWith(c.req.raw.signal)
    const run_id = c.req.valid('header')['x-svc-run-id']
    const call = { model: request.model, prompt: toChatPrompt(request), run_id, signal: disconnected.signal }
    const reply = await createChatCompletion(ctx, { ...call, stream: stream === true })
    if ('pieces' in reply) return streamChunks(c, answerHead(c, reply), { ...reply, disconnected, with_usage })
    return c.json(toChatCompletion({ ...answerHead(c, reply), model: reply.model }, reply.answer), 200)
  },
)
