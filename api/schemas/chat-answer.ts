import { z } from '@hono/zod-openapi'

export const ModelError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string().meta({ example: 'insufficient_quota' }),
      param: z.string().nullable(),
      code: z.string().meta({ example: 'budget_exceeded' }),
    }),
  })
  .meta({ id: 'ModelError', description: 'A refusal in the format of OpenAI' })

const ToolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})

const Usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
})

/** A whole answer; a streamed one has `chat.completion.chunk`. */
export const ChatCompletion = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullable(),
          tool_calls: z.array(ToolCall).optional(),
        }),
        logprobs: z.record(z.string(), z.unknown()).nullable(),
        finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
      }),
    ),
    usage: Usage.optional().meta({ description: 'Absent where the provider did not say' }),
  })
  .meta({ id: 'ChatCompletion' })
export type ChatCompletion = z.infer<typeof ChatCompletion>

export const ModelList = z
  .object({
    object: z.literal('list'),
    data: z.array(z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })),
  })
  .meta({ id: 'ModelList', description: 'Models that can be called, and the roles that one of them has here' })
export type ModelList = z.infer<typeof ModelList>
