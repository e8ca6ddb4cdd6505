import type { JsonObject } from '../json.ts'

/** A piece of what a user says. */
export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | { type: 'file'; file: { file_data: string; filename?: string | undefined } }

export interface ChatToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** A message in the words of the chat-completions format. */
export type ChatMessage =
  | { role: 'system' | 'developer'; content: string }
  | { role: 'user'; content: ChatPart[] }
  | { role: 'assistant'; content: string; tool_calls: ChatToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string }

/** What a user says, in words alone. */
export function userMessage(text: string): ChatMessage & { role: 'user' } {
  return { role: 'user', content: [{ type: 'text', text }] }
}

export interface ChatTool {
  name: string
  description?: string | undefined
  parameters: JsonObject
  strict?: boolean | undefined
}

export type ChatToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ChatResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; schema: JsonObject; description?: string | undefined; strict?: boolean }

/** What a model is asked, whoever provides it. */
export interface ChatPrompt {
  messages: ChatMessage[]
  max_tokens?: number | undefined
  temperature?: number | undefined
  top_p?: number | undefined
  stop?: string[] | undefined
  seed?: number | undefined
  presence_penalty?: number | undefined
  frequency_penalty?: number | undefined
  tools?: ChatTool[] | undefined
  tool_choice?: ChatToolChoice | undefined
  response_format?: ChatResponseFormat | undefined
  user?: string | undefined
}

export type ChatFinish = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** What a provider says that a call took, in tokens. */
export interface ModelUsage {
  input: number
  output: number
  cached: number
  cache_write: number
  reasoning: number
}

/** A whole answer. `usage` is missing where the provider did not say what the call took. */
export interface ChatAnswer {
  content: string
  tool_calls: ChatToolCall[]
  finish: ChatFinish
  usage?: ModelUsage | undefined
}

/** A piece of an answer on its way. `end` comes once, last. */
export type ChatPiece =
  | { type: 'text'; text: string }
  | { type: 'tool_call'; index: number; id: string; name: string }
  | { type: 'tool_arguments'; index: number; text: string }
  | { type: 'end'; finish: ChatFinish; usage?: ModelUsage | undefined }
