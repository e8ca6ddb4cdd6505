import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ChatRequest } from '#api/schemas/chat-request.ts'
import { toChatPrompt } from '#api/to-chat-prompt.ts'
import { validationError } from '#api/to-domain-error.ts'
import type { ChatPiece } from '#core/models/chat.ts'
import { DROPPABLE_PARAMS, type PricedModel } from '#core/models/model.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import { HANDED_ON, REFUSED } from '#test/support/chat-fields.ts'

const DOCS = readFileSync(new URL('../../../../docs/models.md', import.meta.url), 'utf8')
const OFFICIAL = readFileSync(
  new URL('../../../../node_modules/openai/resources/chat/completions/completions.d.ts', import.meta.url),
  'utf8',
)
const EMBEDDINGS = readFileSync(
  new URL('../../../../node_modules/openai/resources/embeddings.d.ts', import.meta.url),
  'utf8',
)

/** Fields of an interface of the official client. */
function fieldsOf(source: string, name: string): string[] {
  const begin = source.indexOf(`export interface ${name} {`)
  const body = source.slice(begin, source.indexOf('\n}', begin))
  return [...body.matchAll(/^ {4}([a-z_]+)\??:/gm)].map(([, field = '']) => field)
}

/** Rows of the table in the docs: a field, and what becomes of it. */
function rowsUnder(heading: string): Map<string, string> {
  const begin = DOCS.indexOf(heading)
  const text = DOCS.slice(begin, DOCS.indexOf('\n#', begin + 1))
  const rows = [...text.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|/gm)]
  return new Map(
    rows.flatMap(([, names = '', fate = '']) =>
      [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = '']): [string, string] => [name, fate.trim()]),
    ),
  )
}

const MODEL: PricedModel = {
  ...{ id: 'it', model: 'theirs', provider: 'openai_compatible', base_url: 'http://models.test/v1' },
  ...{ timeout_ms: 5_000, structured_outputs: true },
  ...{ prices: { input: 1, output: 1 }, limits: { context: 100_000, output: 1_000 } },
}
const HELLO = { model: 'it', messages: [{ role: 'user', content: 'hello' }] }
const { signal } = new AbortController()

function provider(answer: () => Response) {
  const bodies: Record<string, unknown>[] = []
  const upstream = createModelUpstream({
    env: { KEY: 'sk-1' },
    endpoint: { base_url: undefined, key: undefined },
    fetch: async (_input, init) => {
      bodies.push(JSON.parse(String(init?.body)))
      return answer()
    },
  })
  return { bodies, upstream }
}

const whole =
  (message: object, rest: object = { finish_reason: 'stop' }) =>
  () =>
    Response.json({ choices: [{ index: 0, message: { role: 'assistant', content: 'yes', ...message }, ...rest }] })
const events =
  (...parts: string[]) =>
  () =>
    new Response(parts.join(''), { headers: { 'content-type': 'text/event-stream' } })
const chunk = (delta: object, finish_reason: string | null = null, rest: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason, ...rest }] })}\n\n`

/** What a provider is sent for a request in the format of OpenAI. */
async function sentFor(request: object, model = MODEL): Promise<Record<string, unknown>> {
  const { upstream, bodies } = provider(whole({}))
  const asked = ChatRequest.parse({ ...HELLO, ...request })
  await upstream.generate(await upstream.prepare(upstream.reach(model), toChatPrompt(asked), { stream: false }), signal)
  return bodies[0] ?? {}
}

async function streamed(answer: () => Response): Promise<ChatPiece[]> {
  const { upstream } = provider(answer)
  const asked = await upstream.prepare(
    upstream.reach(MODEL),
    { messages: [{ role: 'user', content: 'x' }] },
    { stream: true },
  )
  const pieces: ChatPiece[] = []
  for await (const piece of upstream.stream(asked, signal)) pieces.push(piece)
  return pieces
}

const MAPPED = ['messages', 'model', 'max_tokens', 'max_completion_tokens', 'n', 'stream', 'stream_options']

describe('the table of docs/models.md', () => {
  const rows = rowsUnder('### Every field of a request')
  const official = fieldsOf(OFFICIAL, 'ChatCompletionCreateParamsBase')

  test('has every field that the official client knows, and no other', () => {
    expect(official.length).toBeGreaterThan(30)
    expect([...rows.keys()].sort()).toEqual([...official].sort())
    expect([...rowsUnder('### Embeddings').keys()].sort()).toEqual(fieldsOf(EMBEDDINGS, 'EmbeddingCreateParams').sort())
  })

  test('says of each what becomes of it', () => {
    const fates = (fate: string) =>
      [...rows]
        .filter(([, given]) => given.startsWith(fate))
        .map(([name]) => name)
        .sort()
    expect(fates('handed on')).toEqual(Object.keys(HANDED_ON).sort())
    expect(fates('refused')).toEqual(Object.keys(REFUSED).sort())
    expect(fates('mapped')).toEqual([...MAPPED].sort())
  })

  test.each(Object.entries(HANDED_ON))('%s is handed on as it was said', async (name, value) => {
    expect((await sentFor({ [name]: value }))[name]).toEqual(value)
    // what is null was not said
    expect(await sentFor({ [name]: null })).not.toHaveProperty(name)
  })

  test.each([...Object.entries(REFUSED), ['top_k', 1], ['n', 2]])('%s is refused by its name', (name, value) => {
    const { error } = ChatRequest.safeParse({ ...HELLO, [name]: value })
    expect(validationError('json', error?.issues ?? []).details.errors).toMatchObject([{ pointer: `/${name}` }])
  })
})

test.each([
  [{ name: 'ann', content: '' }],
  [{ content: [{ type: 'text', text: 'a' }] }],
  [{ content: [{ type: 'image_url', image_url: { url: 'https://a.test/b', detail: 'low' } }] }],
  [{ content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
  [{ role: 'developer', content: 'rules' }],
  [{ role: 'assistant', content: '' }],
  [{ role: 'assistant', content: null, refusal: 'no' }],
  [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'look', arguments: '{ "n": 9007199254740993 }' } },
        { id: 'c2', type: 'function', function: { name: 'look', arguments: '{"broken": ' } },
      ],
    },
  ],
])('a message arrives as it was said: %j', async (given) => {
  const message = { role: 'user', ...given }
  expect((await sentFor({ messages: [message] }))['messages']).toEqual([message])
})

test('a field within a message is refused by its place', () => {
  const content = [{ type: 'image_url', image_url: { url: 'u', zoom: 1 } }]
  const { error } = ChatRequest.safeParse({ ...HELLO, messages: [{ role: 'user', content }] })
  expect(validationError('json', error?.issues ?? []).details.errors).toMatchObject([
    { pointer: '/messages/0/content/0/image_url/zoom' },
  ])
})

test.each([{}, { strict: null }, { strict: false }, { strict: true }])('strict is what it was: %j', async (strict) => {
  const json_schema = { name: 'a', schema: { type: 'object' }, ...strict }
  const tool = { type: 'function', function: { name: 'look', ...strict } }
  const sent = await sentFor({ response_format: { type: 'json_schema', json_schema }, tools: [tool] })
  expect(sent['response_format']).toEqual({ type: 'json_schema', json_schema })
  expect(sent['tools']).toEqual([tool])
})

test('the limit has the name that the model knows, whichever the caller used', async () => {
  for (const given of ['max_tokens', 'max_completion_tokens'])
    for (const limit_field of ['max_tokens', 'max_completion_tokens'] as const) {
      const sent = await sentFor({ [given]: 9 }, { ...MODEL, limit_field })
      expect(Object.entries(sent).filter(([name]) => name.startsWith('max_'))).toEqual([[limit_field, 9]])
    }
  expect(await sentFor({ user: 'u', n: 1 }, { ...MODEL, drop_params: [...DROPPABLE_PARAMS] })).toEqual({
    ...{ model: 'theirs', messages: HELLO.messages, max_tokens: 1_000 },
  })
})

test.each([
  ['anthropic', { seed: 1 }, '/seed'],
  ['anthropic', { temperature: 1.5 }, '/temperature'],
  ['anthropic', { response_format: { type: 'json_object' } }, '/response_format'],
  ['google', { user: 'u' }, '/user'],
  ['google', { logprobs: true }, '/logprobs'],
] as const)('%s is not sent without a word what it has no field for: %j', async (name, given, pointer) => {
  const model: PricedModel = { ...MODEL, provider: name, model: 'any', key: 'env:KEY' }
  await expect(sentFor(given, model)).rejects.toMatchObject({
    code: 'validation_failed',
    details: { errors: [{ pointer }] },
  })
})

describe('an answer', () => {
  const answered = async (answer: () => Response) => {
    const { upstream } = provider(answer)
    return await upstream.generate(
      await upstream.prepare(upstream.reach(MODEL), { messages: [{ role: 'user', content: 'x' }] }, { stream: false }),
      signal,
    )
  }

  test('has its refusal and its logprobs apart from its text', async () => {
    const logprobs = { content: [{ token: 'a', logprob: -1 }] }
    const message = { content: null, refusal: 'I will not.' }
    expect(await answered(whole(message, { finish_reason: 'stop', logprobs }))).toMatchObject({
      ...{ content: '', refusal: 'I will not.', logprobs, finish: 'stop' },
    })
    expect(await streamed(events(chunk({ refusal: 'I ' }), chunk({ refusal: 'will not.' }, 'stop')))).toMatchObject([
      { type: 'refusal', text: 'I ' },
      { type: 'refusal', text: 'will not.' },
      { type: 'end', finish: 'stop' },
    ])
  })

  test('without a finish_reason is whole where it came whole, and cut off where it was streamed', async () => {
    expect(await answered(whole({}, {}))).toMatchObject({ content: 'yes', finish: 'stop' })
    await expect(streamed(events(chunk({ content: 'ye' }), 'data: [DONE]\n\n'))).rejects.toMatchObject({
      outcome: 'lost',
      message: expect.stringContaining('finish_reason'),
    })
  })

  test('that is an error in a 200, or in the middle of a stream, says which', async () => {
    const error = { message: 'the model is overloaded', code: 502 }
    const failed = { outcome: 'lost', status: 502, message: expect.stringContaining('the model is overloaded') }
    await expect(answered(() => Response.json({ error }))).rejects.toMatchObject(failed)
    const given = `data: ${JSON.stringify({ error })}\n\n`
    await expect(streamed(events(chunk({ content: 'ye' }), given))).rejects.toMatchObject(failed)
  })

  test('is alive while any byte of it comes, and over when none does', async () => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 40))
    const slow = (parts: string[]) => async (_input: unknown, init?: RequestInit) => {
      async function* bytes() {
        for (const part of parts) {
          await pause()
          init?.signal?.throwIfAborted()
          yield new TextEncoder().encode(part)
        }
      }
      return new Response(ReadableStream.from(bytes()) as ReadableStream<Uint8Array>, {
        headers: { 'content-type': 'text/event-stream' },
      })
    }
    const thinking = [
      ': comment\n\n',
      chunk({ reasoning_content: 'hm' }),
      chunk({}),
      ': again\n\n',
      chunk({ reasoning: 'hm' }),
    ]
    const upstream = createModelUpstream({
      env: {},
      endpoint: { base_url: undefined, key: undefined },
      fetch: slow([...thinking, chunk({ content: 'yes' }, 'stop')]),
    })
    const read = async (timeout_ms: number) => {
      const model = upstream.reach({ ...MODEL, timeout_ms })
      const asked = await upstream.prepare(model, { messages: [{ role: 'user', content: 'x' }] }, { stream: true })
      const pieces: ChatPiece[] = []
      for await (const piece of upstream.stream(asked, signal)) pieces.push(piece)
      return pieces
    }
    // six times 40 ms, none of which is as long as this
    expect(await read(200)).toMatchObject([{ text: 'yes' }, { type: 'end' }])
    await expect(read(5)).rejects.toThrow('not answered in time')
  })
})

describe('vectors', () => {
  const embedded = async (data: object[]) => {
    const { upstream } = provider(() => Response.json({ data, usage: { prompt_tokens: 2 } }))
    return await upstream.embed(await upstream.prepareVectors(upstream.reach(MODEL), ['a', 'b']), signal)
  }

  test('belong to the texts that their index names', async () => {
    const data = [
      { index: 1, embedding: [2, 2] },
      { index: 0, embedding: [1, 1] },
    ]
    expect((await embedded(data)).vectors).toEqual([
      [1, 1],
      [2, 2],
    ])
  })

  test.each([
    [[0, 0], [1, 1], 'indices are [0,0]'],
    [[1, 2], [1, 1], 'indices are [1,2]'],
    [[undefined, undefined], [1, 1], 'indices are [null,null]'],
    [[0, 1], [0, 0], 'text 1 is zero'],
  ])('with the indices %j and the second %j are refused', async ([one, other], embedding, why) => {
    const data = [
      { index: one, embedding: [1, 1] },
      { index: other, embedding },
    ]
    await expect(embedded(data)).rejects.toMatchObject({ outcome: 'lost', message: expect.stringContaining(why) })
  })
})
