import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatMessage, ChatPrompt } from '#core/models/chat.ts'
import type { PricedModel } from '#core/models/model.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import { PROVIDER_WIRES } from '#test/support/provider-wires.ts'

const text = fc.string({ unit: 'binary', maxLength: 40 })
/** JSON that grows, shrinks or changes where it is read and written again, and what is none. */
const args = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    '{"a":1e20}',
    '{"a":[1e20,1e20]}',
    '{ "a" : 9007199254740993 }',
    '{"a":1.0,"a":2}',
    '{"\\u0061":"\\/"}',
  ),
  fc.constantFrom('', '{', '{"a":', 'null', '[1]', '"svc-arguments-0-"', '{"__proto__":{"a":1}}'),
  text,
)
const schema = fc.constantFrom(
  { type: 'object', properties: { at: { type: 'string' } } },
  { type: 'object', description: '€' },
)
const turn = fc.oneof(
  text.map((said): ChatMessage[] => [{ role: 'user', content: [{ type: 'text', text: said }] }]),
  fc.array(args, { minLength: 1, maxLength: 3 }).map((given): ChatMessage[] => [
    {
      ...{ role: 'assistant', content: 'I look.' },
      tool_calls: given.map((each, index) => ({
        ...{ id: `call_${index}`, type: 'function' as const },
        function: { name: 'look', arguments: each },
      })),
    },
    ...given.map((_, index) => ({ role: 'tool' as const, tool_call_id: `call_${index}`, content: 'well' })),
  ]),
  fc.constant<ChatMessage[]>([
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] },
  ]),
)
const prompt: fc.Arbitrary<ChatPrompt> = fc.record(
  {
    messages: fc
      .tuple(text, fc.array(turn, { minLength: 1, maxLength: 4 }))
      .map(([rules, turns]): ChatMessage[] => [
        { role: 'system', content: rules },
        { role: 'user', content: [{ type: 'text', text: 'Is all well?' }] },
        ...turns.flat(),
      ]),
    max_tokens: fc.integer({ min: 1, max: 2_000 }),
    temperature: fc.constant(0),
    stop: fc.array(fc.constantFrom('end', '€'), { minLength: 1, maxLength: 2 }),
    user: fc.constant('somebody'),
    tools: schema.map((parameters) => [{ name: 'look', description: 'Looks.', parameters }]),
    response_format: schema.map((each) => ({
      type: 'json_schema' as const,
      name: 'answer',
      schema: each,
      strict: false,
    })),
  },
  { requiredKeys: ['messages'] },
)

function world(model: PricedModel) {
  const sent: string[] = []
  const upstream = createModelUpstream({
    env: { KEY: 'sk-1' },
    endpoint: { base_url: 'http://models.test/v1', key: undefined },
    fetch: async (_input, init) => {
      sent.push(String(init?.body))
      return Response.json({ error: { message: 'no' } }, { status: 429 })
    },
  })
  return { sent, upstream, model: upstream.reach(model) }
}

const modelOf = (provider: PricedModel['provider'], model: string): PricedModel => ({
  ...{ id: 'it', provider, model, timeout_ms: 5_000, structured_outputs: true },
  ...(provider !== 'openai_compatible' && { key: 'env:KEY' }),
  ...(provider === 'google' && { drop_params: ['user'] }),
  ...{ prices: { input: 1_000_000, output: 0 }, limits: { context: 1_000_000, output: 1_000 } },
})
const WIRES = [
  ...PROVIDER_WIRES.map(({ provider, name }) => modelOf(provider, name)),
  modelOf('openai_compatible', 'any'),
]
const { signal } = new AbortController()

describe.each(WIRES)('what is sent to $provider ($model)', (priced) => {
  test('has the bytes that were measured, no matter what the conversation, and no more than were reserved', async () => {
    await fc.assert(
      fc.asyncProperty(prompt, fc.boolean(), async (asked, stream) => {
        const { sent, upstream, model } = world(priced)
        const request = await upstream.prepare(model, asked, { stream })
        expect(sent).toEqual([])
        await (stream ? upstream.stream(request, signal).next() : upstream.generate(request, signal)).catch(() => {})
        expect(sent).toHaveLength(1)
        const bytes = Buffer.byteLength(sent[0] ?? '')
        expect(request.bytes).toBe(bytes)
        // a micro-dollar a token, and a token a byte at most
        expect(request.worst_case_micro_usd).toBeGreaterThanOrEqual(bytes)
        expect(() => JSON.parse(sent[0] ?? '')).not.toThrow()
      }),
      { numRuns: 60 },
    )
  })

  test('and is not sent where it has more', async () => {
    const { sent, upstream, model } = world(priced)
    const request = await upstream.prepare(
      model,
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] },
      { stream: false },
    )
    const smaller = { ...request, bytes: request.bytes - 1 }
    await expect(upstream.generate(smaller, signal)).rejects.toThrow('was not sent')
    expect(sent).toEqual([])
  })
})

describe('the arguments of earlier calls of tools', () => {
  const given = ['{ "n": 9007199254740993, "big": 1e20 }', '{"broken": ']
  const messages: ChatMessage[] = [
    { role: 'user', content: [{ type: 'text', text: 'Is all well?' }] },
    {
      ...{ role: 'assistant', content: '' },
      tool_calls: given.map((each, index) => ({
        ...{ id: `call_${index}`, type: 'function' as const },
        function: { name: 'look', arguments: each },
      })),
    },
    ...given.map((_, index) => ({ role: 'tool' as const, tool_call_id: `call_${index}`, content: 'well' })),
  ]

  test.each(WIRES)('reach $provider ($model) byte for byte, and broken ones end no conversation', async (priced) => {
    const { sent, upstream, model } = world(priced)
    await upstream.generate(await upstream.prepare(model, { messages }, { stream: false }), signal).catch(() => {})
    const [body = ''] = sent
    const isText = priced.provider === 'openai' || priced.provider === 'openai_compatible'
    expect(body).toContain(isText ? JSON.stringify(given[0]) : given[0])
    expect(body).toContain(JSON.stringify(given[1]))
    expect(body).not.toContain('svc-arguments')
  })
})

test('variables of the packages of providers change nothing about where a model is asked', async () => {
  const urls: string[] = []
  process.env['OPENAI_BASE_URL'] = 'http://elsewhere.test/v1'
  try {
    const upstream = createModelUpstream({
      env: { KEY: 'sk-1' },
      endpoint: { base_url: undefined, key: undefined },
      fetch: async (input) => {
        urls.push(String(input))
        return Response.json({}, { status: 429 })
      },
    })
    const model = upstream.reach(modelOf('openai', 'gpt-4o-mini'))
    const request = await upstream.prepare(
      model,
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] },
      { stream: false },
    )
    await upstream.generate(request, signal).catch(() => {})
  } finally {
    delete process.env['OPENAI_BASE_URL']
  }
  expect(urls).toEqual(['https://api.openai.com/v1/chat/completions'])
})
