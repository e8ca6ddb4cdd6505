import { describe, expect, test } from 'vitest'
import type { ChatPiece, ChatPrompt } from '#core/models/chat.ts'
import type { PricedModel } from '#core/models/model.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import { PROVIDER_WIRES } from '#test/support/provider-wires.ts'

const KEY = 'sk-canary-1234567890'
const PROMPT: ChatPrompt = {
  messages: [
    { role: 'system', content: 'Look before you answer.' },
    { role: 'user', content: [{ type: 'text', text: 'Is all well?' }] },
  ],
  max_tokens: 100,
  tools: [{ name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } }],
}

interface Sent {
  url: string
  headers: Record<string, string>
  body: unknown
}

/** A provider that answers every request so. */
function answering(body: string, type: string) {
  const sent: Sent[] = []
  const upstream = createModelUpstream({
    env: { KEY },
    endpoint: { base_url: undefined, key: undefined },
    fetch: async (input, init) => {
      const headers = Object.fromEntries(new Headers(init?.headers))
      sent.push({ url: String(input), headers, body: JSON.parse(String(init?.body)) })
      return new Response(body, { headers: { 'content-type': type } })
    },
  })
  return { sent, upstream }
}

describe.each(PROVIDER_WIRES)('$provider, by its own format', ({ provider, name, whole, streamed, expected }) => {
  const model: PricedModel = {
    ...{ id: 'it', provider, model: name, key: 'env:KEY', timeout_ms: 5_000, structured_outputs: true },
    ...{ prices: { input: 1, output: 1 }, limits: { context: 8_000, output: 1_000 } },
  }
  const asked = (url: string) => ({
    url,
    headers: { [expected.key_header]: provider === 'openai' ? `Bearer ${KEY}` : KEY },
    // the limit that was reserved, in the field that this one goes by
    body: expected.limit,
  })

  test('an answer, its calls of tools, and all tokens that cost something', async () => {
    const { sent, upstream } = answering(JSON.stringify(whole), 'application/json')
    const answer = await upstream.generate(
      await upstream.prepare(upstream.reach(model), PROMPT, { stream: false }),
      new AbortController().signal,
    )
    expect(sent).toMatchObject([asked(expected.url)])
    expect(answer).toEqual({
      content: 'I look.',
      tool_calls: [
        { id: expect.any(String), type: 'function', function: { name: 'look', arguments: '{"at":"checkout"}' } },
      ],
      finish: 'tool_calls',
      usage: expected.usage,
    })
  })

  test('the same piece by piece', async () => {
    const { sent, upstream } = answering(streamed, 'text/event-stream')
    const pieces: ChatPiece[] = []
    const request = await upstream.prepare(upstream.reach(model), PROMPT, { stream: true })
    for await (const piece of upstream.stream(request, new AbortController().signal)) pieces.push(piece)
    expect(sent).toMatchObject([asked(expected.stream_url)])
    const pieceText = (type: 'text' | 'tool_arguments') =>
      pieces.map((piece) => (piece.type === type ? piece.text : '')).join('')
    expect([pieceText('text'), pieceText('tool_arguments')]).toEqual(['I look.', '{"at":"checkout"}'])
    expect(pieces.filter(({ type }) => type === 'tool_call')).toMatchObject([{ index: 0, name: 'look' }])
    expect(pieces.at(-1)).toEqual({ type: 'end', finish: 'tool_calls', usage: expected.usage })
  })
})
