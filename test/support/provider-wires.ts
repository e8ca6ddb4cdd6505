import type { ModelUsage } from '#core/models/chat.ts'
import type { Model, ModelProvider } from '#core/models/model.ts'

/**
 * What each provider says when it answers "I look." and calls the tool `look`, in its own format, after 60 tokens of which it had 30 in
 * its cache: https://docs.anthropic.com/en/api/messages, https://ai.google.dev/api/generate-content,
 * https://platform.openai.com/docs/api-reference/chat.
 */
export interface ProviderWire {
  provider: ModelProvider
  /** a model of theirs */
  name: Model['model']
  whole: object
  /** events */
  streamed: string
  expected: { url: string; stream_url: string; key_header: string; limit: object; usage: ModelUsage }
}

const ARGS = { at: 'checkout' }

const ANTHROPIC_USAGE = { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 30 }
const ANTHROPIC_HEAD = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' }
const anthropic: ProviderWire = {
  provider: 'anthropic',
  name: 'claude-sonnet-4-5',
  whole: {
    ...{ ...ANTHROPIC_HEAD, stop_reason: 'tool_use', stop_sequence: null },
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: ARGS },
    ],
    usage: { ...ANTHROPIC_USAGE, output_tokens: 7 },
  },
  streamed: events([
    {
      type: 'message_start',
      message: {
        ...{ ...ANTHROPIC_HEAD, content: [], stop_reason: null, stop_sequence: null },
        usage: { ...ANTHROPIC_USAGE, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I ' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'look.' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"at":' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"checkout"}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ]),
  expected: {
    url: 'https://api.anthropic.com/v1/messages',
    stream_url: 'https://api.anthropic.com/v1/messages',
    key_header: 'x-api-key',
    limit: { max_tokens: 100 },
    // it counts what its cache had, and what it put there, beside the rest
    usage: { input: 60, output: 7, cached: 30, cache_write: 20, reasoning: 0 },
  },
}

const GOOGLE_USAGE = {
  ...{ promptTokenCount: 60, cachedContentTokenCount: 30, candidatesTokenCount: 5 },
  ...{ thoughtsTokenCount: 2, totalTokenCount: 67 },
}
const GOOGLE_MODEL = 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash'
const google: ProviderWire = {
  provider: 'google',
  name: 'gemini-2.5-flash',
  whole: {
    candidates: [googleCandidate([{ text: 'I look.' }, { functionCall: { name: 'look', args: ARGS } }])],
    usageMetadata: GOOGLE_USAGE,
  },
  streamed: events([
    {
      candidates: [{ content: { role: 'model', parts: [{ text: 'I ' }] } }],
      usageMetadata: { promptTokenCount: 60, totalTokenCount: 60 },
    },
    {
      candidates: [googleCandidate([{ text: 'look.' }, { functionCall: { name: 'look', args: ARGS } }])],
      usageMetadata: GOOGLE_USAGE,
    },
  ]),
  expected: {
    url: `${GOOGLE_MODEL}:generateContent`,
    stream_url: `${GOOGLE_MODEL}:streamGenerateContent?alt=sse`,
    key_header: 'x-goog-api-key',
    limit: { generationConfig: { maxOutputTokens: 100 } },
    // it counts its thoughts beside the answer
    usage: { input: 60, output: 7, cached: 30, cache_write: 0, reasoning: 2 },
  },
}

const OPENAI_HEAD = { id: 'chatcmpl-1', created: 1, model: 'gpt-4o-mini' }
const OPENAI_USAGE = {
  ...{ prompt_tokens: 60, completion_tokens: 7, total_tokens: 67 },
  prompt_tokens_details: { cached_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 2 },
}
const OPENAI_CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: JSON.stringify(ARGS) } }
const OPENAI_URL = 'https://api.openai.com/v1/chat/completions'
const openai: ProviderWire = {
  provider: 'openai',
  name: 'gpt-4o-mini',
  whole: {
    ...{ ...OPENAI_HEAD, object: 'chat.completion' },
    choices: [
      {
        ...{ index: 0, finish_reason: 'tool_calls' },
        message: { role: 'assistant', content: 'I look.', tool_calls: [OPENAI_CALL] },
      },
    ],
    usage: OPENAI_USAGE,
  },
  streamed: `${events([
    openaiChunk({ role: 'assistant', content: 'I ' }),
    openaiChunk({ content: 'look.' }),
    openaiChunk({ tool_calls: [{ ...OPENAI_CALL, index: 0, function: { name: 'look', arguments: '{"at":' } }] }),
    openaiChunk({ tool_calls: [{ index: 0, function: { arguments: '"checkout"}' } }] }),
    openaiChunk({}, 'tool_calls'),
    { ...OPENAI_HEAD, object: 'chat.completion.chunk', choices: [], usage: OPENAI_USAGE },
  ])}data: [DONE]\n\n`,
  expected: {
    url: OPENAI_URL,
    stream_url: OPENAI_URL,
    key_header: 'authorization',
    limit: { max_completion_tokens: 100 },
    usage: { input: 60, output: 7, cached: 30, cache_write: 0, reasoning: 2 },
  },
}

export const PROVIDER_WIRES = [anthropic, google, openai]

function googleCandidate(parts: object[]) {
  return { content: { role: 'model', parts }, finishReason: 'STOP' }
}

function openaiChunk(delta: object, finish_reason: string | null = null) {
  return { ...OPENAI_HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] }
}

function events(parts: object[]): string {
  const text = (part: object) =>
    `${'type' in part ? `event: ${String(part.type)}\n` : ''}data: ${JSON.stringify(part)}\n\n`
  return parts.map(text).join('')
}
