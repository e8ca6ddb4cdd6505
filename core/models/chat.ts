import type { JsonObject } from '../json/json.ts'

export interface ChatText {
  type: 'text'
  text: string
}

/** A part of a user's message. */
export type ChatPart =
  | ChatText
  | { type: 'image_url'; image_url: { url: string; detail?: string | null | undefined } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | {
      type: 'file'
      file: { file_data?: string | undefined; file_id?: string | undefined; filename?: string | undefined }
    }

export interface ChatToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** A message in the chat-completions format, unchanged. */
export type ChatMessage =
  | { role: 'system' | 'developer'; content: string | ChatText[]; name?: string | undefined }
  | { role: 'user'; content: string | ChatPart[]; name?: string | undefined }
  | {
      role: 'assistant'
      content?: string | (ChatText | { type: 'refusal'; refusal: string })[] | null | undefined
      refusal?: string | null | undefined
      tool_calls?: ChatToolCall[] | null | undefined
      name?: string | undefined
    }
  | { role: 'tool'; tool_call_id: string; content: string | ChatText[] }

/** Makes a text message of a user. */
export function userMessage(text: string): ChatMessage & { role: 'user' } {
  return { role: 'user', content: text }
}

export interface ChatTool {
  name: string
  description?: string | null | undefined
  parameters?: JsonObject | null | undefined
  strict?: boolean | null | undefined
}

export type ChatToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ChatResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      name: string
      schema?: JsonObject | null | undefined
      description?: string | null | undefined
      strict?: boolean | null | undefined
    }

/** A request to a model of any provider. */
export interface ChatPrompt extends ChatExtras {
  messages: ChatMessage[]
  max_tokens?: number | undefined
  temperature?: number | undefined
  top_p?: number | undefined
  stop?: string | string[] | undefined
  seed?: number | undefined
  presence_penalty?: number | undefined
  frequency_penalty?: number | undefined
  tools?: ChatTool[] | undefined
  tool_choice?: ChatToolChoice | undefined
  response_format?: ChatResponseFormat | undefined
  user?: string | undefined
}

/** Parameters that only providers of the chat-completions format take. */
export interface ChatExtras {
  logit_bias?: Record<string, number> | undefined
  logprobs?: boolean | undefined
  top_logprobs?: number | undefined
  parallel_tool_calls?: boolean | undefined
  reasoning_effort?: string | undefined
  verbosity?: string | undefined
  modalities?: 'text'[] | undefined
  service_tier?: string | undefined
  store?: boolean | undefined
  metadata?: Record<string, string> | undefined
  safety_identifier?: string | undefined
  prompt_cache_key?: string | undefined
  prompt_cache_retention?: string | undefined
}

export type ChatFinish = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** Token counts of a call, as the provider reports them. */
export interface ModelUsage {
  input: number
  output: number
  cached: number
  cache_write: number
  reasoning: number
}

/** A whole answer. `usage` is absent where the provider did not report it. */
export interface ChatAnswer {
  content: string
  /** in its own words, where the model has refused to answer */
  refusal?: string | undefined
  tool_calls: ChatToolCall[]
  logprobs?: JsonObject | undefined
  finish: ChatFinish
  usage?: ModelUsage | undefined
}

/** A piece of a streamed answer. `end` comes once, last. */
export type ChatPiece =
  | { type: 'text' | 'refusal'; text: string; logprobs?: JsonObject | undefined }
  | { type: 'tool_call'; index: number; id: string; name: string }
  | { type: 'tool_arguments'; index: number; text: string }
  | { type: 'end'; finish: ChatFinish; usage?: ModelUsage | undefined }

type MessageContent = ChatMessage['content']

/** Returns the parts of a message's content, unchanged. */
export function partsOf(content: MessageContent): Exclude<MessageContent, string | null | undefined>[number][] {
  if (content === null || content === undefined) return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** Returns the text of a message's content. */
export function textOf(content: MessageContent): string {
  return partsOf(content)
    .map((part) => (part.type === 'text' ? part.text : part.type === 'refusal' ? part.refusal : `(${part.type})`))
    .join('')
}
