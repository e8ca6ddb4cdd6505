import { z } from '@hono/zod-openapi'
import type { JsonObject } from '#core/json/json.ts'
import { MODEL_ROLES } from '#core/models/model.ts'

const NOT_HANDED_ON = 'is no field that is handed on: docs/models.md lists those that are'

/** Fields of the format that are taken where they are null. */
const REFUSED: Readonly<Record<string, string>> = {
  audio: 'is not handed on: answers are text',
  functions: 'is not handed on: tools has taken its place',
  function_call: 'is not handed on: tool_calls and tool_choice have taken its place',
  moderation: 'is not handed on: no price of it is known',
  prediction: 'is not handed on: what it rejects is charged beyond max_tokens',
  prompt_cache_options: 'is not handed on: prompt_cache_key and prompt_cache_retention are',
  web_search_options: 'is not handed on: a search has a price of its own',
}

/** An object of the format; an unknown field is refused by name, because it would not reach the provider. */
const objectOf = <Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> =>
  z
    .looseObject(shape)
    .superRefine((value, ctx) => {
      for (const [name, given] of Object.entries(value)) {
        if (Object.hasOwn(shape, name)) continue
        const why = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined
        if (why === undefined || given !== null)
          ctx.addIssue({ code: 'custom', path: [name], message: why ?? NOT_HANDED_ON })
      }
    })
    .meta({ additionalProperties: false }) as never

const Text = objectOf({ type: z.literal('text'), text: z.string() })
const TextContent = z.union([z.string(), z.array(Text)])
const Refusal = objectOf({ type: z.literal('refusal'), refusal: z.string() })
const UserPart = z.discriminatedUnion('type', [
  Text,
  objectOf({
    type: z.literal('image_url'),
    image_url: objectOf({ url: z.string(), detail: z.string().max(20).nullish() }),
  }),
  objectOf({ type: z.literal('input_audio'), input_audio: objectOf({ data: z.string(), format: z.string() }) }),
  objectOf({
    type: z.literal('file'),
    file: objectOf({
      file_data: z.string().optional(),
      file_id: z.string().optional(),
      filename: z.string().optional(),
    }).refine(({ file_data, file_id }) => file_data !== undefined || file_id !== undefined, {
      path: ['file_data'],
      error: 'is missing',
    }),
  }),
])
const ToolCall = objectOf({
  id: z.string().min(1),
  type: z.literal('function', 'must be function: custom tools are not handed on'),
  function: objectOf({ name: z.string().min(1), arguments: z.string() }),
})
const Name = z.string().max(256).optional()

const Message = z.discriminatedUnion('role', [
  objectOf({ role: z.literal('system'), content: TextContent, name: Name }),
  objectOf({ role: z.literal('developer'), content: TextContent, name: Name }),
  objectOf({ role: z.literal('user'), content: z.union([z.string(), z.array(UserPart).min(1)]), name: Name }),
  objectOf({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [Text, Refusal]))]).nullish(),
    refusal: z.string().nullish(),
    name: Name,
    tool_calls: z.array(ToolCall).nullish(),
  }),
  objectOf({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: TextContent }),
])

const Schema = z.record(z.string(), z.unknown()) as z.ZodType<JsonObject>
const FunctionTool = objectOf({
  type: z.literal('function', 'must be function: custom tools are not handed on'),
  function: objectOf({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().nullish(),
    parameters: Schema.nullish(),
    strict: z.boolean().nullish(),
  }),
})
const ResponseFormat = z.discriminatedUnion('type', [
  objectOf({ type: z.literal('text') }),
  objectOf({ type: z.literal('json_object') }),
  objectOf({
    type: z.literal('json_schema'),
    json_schema: objectOf({
      name: z.string().min(1).max(64),
      description: z.string().nullish(),
      schema: Schema.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
])

const Limit = z.int().min(1).max(100_000_000).nullish()
const Word = z.string().max(64).nullish()
const ONE_ANSWER = 'must be 1: one answer is reserved for'
const NO_OBFUSCATION = 'is not handed on: chunks are rewritten'

/** The request of OpenAI clients. Unknown fields are refused by name. */
export const ChatRequest = objectOf({
  model: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: `A role (${MODEL_ROLES.join(', ')}) or the id of a model`, example: 'default' }),
  messages: z.array(Message).min(1).max(10_000),
  stream: z.boolean().nullish(),
  stream_options: objectOf({
    include_usage: z.boolean().nullish(),
    include_obfuscation: z
      .boolean(NO_OBFUSCATION)
      .refine((asked) => !asked, NO_OBFUSCATION)
      .openapi({ not: { const: true } })
      .nullish(),
  }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: Limit,
  max_completion_tokens: Limit,
  n: z.number(ONE_ANSWER).min(1, ONE_ANSWER).max(1, ONE_ANSWER).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  logit_bias: z.record(z.string().max(20), z.number().min(-100).max(100)).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(FunctionTool).max(500).nullish(),
  tool_choice: z
    .union(
      [
        z.enum(['auto', 'none', 'required']),
        objectOf({ type: z.literal('function'), function: objectOf({ name: z.string() }) }),
      ],
      'must be auto, none, required or a function: allowed_tools and custom tools are not handed on',
    )
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: ResponseFormat.nullish(),
  modalities: z.array(z.literal('text', 'must be text: other answers are not handed on')).min(1).max(1).nullish(),
  reasoning_effort: Word,
  verbosity: Word,
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  seed: z.int().nullish(),
  service_tier: z
    .enum(['auto', 'default', 'flex'], 'must be auto, default or flex: models.yaml has no price of others')
    .nullish(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().max(1_000).nullish(),
  safety_identifier: z.string().max(1_000).nullish(),
  prompt_cache_key: z.string().max(1_000).nullish(),
  prompt_cache_retention: Word,
})
  .refine(({ max_tokens: one, max_completion_tokens: other }) => one == null || other == null || one === other, {
    path: ['max_tokens'],
    error: 'says another limit than max_completion_tokens',
  })
  .meta({ id: 'ChatRequest', description: 'A chat completion in the OpenAI format' })
export type ChatRequest = z.infer<typeof ChatRequest>
