/** Fields of a chat request that a provider is sent as they were said. */
export const HANDED_ON: Record<string, unknown> = {
  temperature: 0.3,
  top_p: 0.4,
  presence_penalty: 1,
  frequency_penalty: -1,
  logit_bias: { 50256: -100 },
  logprobs: true,
  top_logprobs: 2,
  parallel_tool_calls: false,
  modalities: ['text'],
  reasoning_effort: 'low',
  verbosity: 'low',
  stop: 'END',
  seed: 7,
  service_tier: 'flex',
  store: false,
  metadata: { a: 'b' },
  user: 'u',
  safety_identifier: 's',
  prompt_cache_key: 'k',
  prompt_cache_retention: '24h',
  tools: [{ type: 'function', function: { name: 'look', strict: null, description: null } }],
  tool_choice: { type: 'function', function: { name: 'look' } },
  response_format: { type: 'json_object' },
}

/** Fields that are refused by name. */
export const REFUSED: Record<string, unknown> = {
  audio: {},
  function_call: 'auto',
  functions: [],
  moderation: {},
  prediction: {},
  prompt_cache_options: {},
  web_search_options: {},
}
