import { z } from '@hono/zod-openapi'
import type { JsonObject } from '#core/json.ts'
import { MODEL_ROLES } from '#core/models/model.ts'

const Text = z.object({ type: z.literal('text'), text: z.string() })
const TextContent = z
  .union([z.string(), z.array(Text)])
  .transform((said) => (typeof said === 'string' ? said : said.map(({ text }) => text).join('')))
const UserPart = z.discriminatedUnion('type', [
  Text,
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
  z.object({ type: z.literal('input_audio'), input_audio: z.object({ data: z.string(), format: z.string() }) }),
  z.object({ type: z.literal('file'), file: z.object({ file_data: z.string(), filename: z.string().optional() }) }),
])
const ToolCall = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
})

const Message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: TextContent }),
  z.object({ role: z.literal('developer'), content: TextContent }),
  z.object({
    role: z.literal('user'),
    content: z
      .union([z.string(), z.array(UserPart).min(1)])
      .transform((said) => (typeof said === 'string' ? [{ type: 'text' as const, text: said }] : said)),
  }),
  z.object({
    role: z.literal('assistant'),
    content: TextContent.nullish().transform((said) => said ?? ''),
    tool_calls: z
      .array(ToolCall)
      .nullish()
      .transform((calls) => calls ?? []),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: TextContent }),
])

const Schema = z.record(z.string(), z.unknown()) as z.ZodType<JsonObject>
const FunctionTool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().nullish(),
    parameters: Schema.nullish(),
    strict: z.boolean().nullish(),
  }),
})
const ResponseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string().min(1).max(64),
      description: z.string().nullish(),
      schema: Schema.nullish(),
    }),
  }),
])

/** What OpenAI clients send. Other fields are ignored. */
export const ChatRequest = z
  .object({
    model: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: `A role (${MODEL_ROLES.join(', ')}) or the id of a model`, example: 'default' }),
    messages: z.array(Message).min(1).max(10_000),
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    max_tokens: z.int().min(1).max(100_000_000).nullish(),
    max_completion_tokens: z.int().min(1).max(100_000_000).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    tools: z.array(FunctionTool).max(500).nullish(),
    tool_choice: z
      .union([
        z.enum(['auto', 'none', 'required']),
        z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
      ])
      .nullish(),
    response_format: ResponseFormat.nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
    seed: z.int().nullish(),
    user: z.string().max(1_000).nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'ChatRequest', description: 'A chat completion in the OpenAI format' })
export type ChatRequest = z.infer<typeof ChatRequest>
