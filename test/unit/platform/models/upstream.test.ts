import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ChatPrompt } from '#core/models/chat.ts'
import type { PricedModel } from '#core/models/model.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import { AS_WRITTEN, createMeasuredFetch } from '#platform/models/measured-fetch.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'

const KEY = 'sk-canary-1234567890'
const MODEL: PricedModel = {
  ...{ prices: { input: 1, output: 1 }, limits: { context: 8_000, output: 1_000 } },
  ...{
    id: 'quoting',
    model: 'quoting',
    provider: 'openai_compatible',
    base_url: 'http://models.test/v1',
    key: 'env:KEY',
  },
  ...{ timeout_ms: 5_000, structured_outputs: true },
}
const PROMPT: ChatPrompt = { messages: [{ role: 'user', content: 'hello' }] }

/** A provider that quotes what it was asked with in its refusal, as some do that stand between. */
function quoting(status: number) {
  return createModelUpstream({
    env: { KEY },
    endpoint: { base_url: undefined, key: undefined },
    fetch: async (_input, init) => {
      const message = `nobody here knows ${new Headers(init?.headers).get('authorization')}`
      return Response.json({ error: { message, type: 'any', param: null, code: null } }, { status })
    },
  })
}

test.each([400, 429, 500])(
  'what a provider says when it answers %i never holds the key of the model',
  async (status) => {
    const upstream = quoting(status)
    const { signal } = new AbortController()
    const model = upstream.reach(MODEL)
    for (const failed of [
      upstream.generate(await upstream.prepare(model, PROMPT, { stream: false }), signal),
      upstream.stream(await upstream.prepare(model, PROMPT, { stream: true }), signal).next(),
      upstream.embed(await upstream.prepareVectors(model, ['hello']), signal),
    ]) {
      const error = await failed.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(UpstreamError)
      expect(error).toMatchObject({ message: `the provider answered ${status}: nobody here knows Bearer (key)` })
      // nor what a log would write of it
      expect(inspect(error, { depth: 10 })).not.toContain(KEY)
    }
  },
)

test('what a provider says never shows the query of its address, and can be stored', async () => {
  const upstream = createModelUpstream({
    env: { KEY },
    endpoint: { base_url: undefined, key: undefined },
    fetch: async (input) =>
      Response.json({ error: { message: `Invalid URL (POST ${String(input)})\0`, type: 'any' } }, { status: 404 }),
  })
  const model = upstream.reach({ ...MODEL, base_url: 'http://models.test/v1?token=s3cret-token' })
  const request = await upstream.prepare(model, PROMPT, { stream: false })
  const message_text = await upstream
    .generate(request, new AbortController().signal)
    .catch(({ message }: Error) => message)
  expect(message_text).toContain('the provider answered 404: Invalid URL (POST http://models.test/v1')
  expect(message_text).not.toContain('s3cret')
  expect(message_text).toContain('\\u0000')
})

test('a model that is open already is asked with the key and at the address that hold now', async () => {
  const env = { KEY: 'sk-first' }
  const endpoint = { base_url: 'http://one.test/v1', key: 'sk-usual' }
  const asked: string[] = []
  const upstream = createModelUpstream({
    env,
    endpoint,
    fetch: async (input, init) => {
      asked.push(`${String(input)} ${new Headers(init?.headers).get('authorization')}`)
      const message = { role: 'assistant', content: 'yes' }
      return Response.json({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
    },
  })
  const { base_url: _url, key: _key, ...usual } = MODEL
  const ask = async () => {
    for (const model of [MODEL, usual]) {
      const request = await upstream.prepare(upstream.reach(model), PROMPT, { stream: false })
      await upstream.generate(request, new AbortController().signal)
    }
  }
  await ask()
  env.KEY = 'sk-second'
  endpoint.base_url = 'http://two.test/v1'
  await ask()
  expect(asked).toEqual([
    'http://models.test/v1/chat/completions Bearer sk-first',
    'http://one.test/v1/chat/completions Bearer sk-usual',
    'http://models.test/v1/chat/completions Bearer sk-second',
    'http://two.test/v1/chat/completions Bearer sk-usual',
  ])
})

/** A real provider whose answer begins, and goes on as `write` says. */
async function beginning(write: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => write(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const upstream = createModelUpstream({ env: { KEY }, endpoint: { base_url: undefined, key: undefined }, fetch })
  return { upstream, model: upstream.reach({ ...MODEL, base_url }) }
}

function pour(answer: ServerResponse, text: string): void {
  while (!answer.destroyed) if (!answer.write(text)) return void answer.once('drain', () => pour(answer, text))
}

const chunkOf = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

test('reading ends with its signal also where fetch has forgotten it, as Node does when it has collected the response', async () => {
  const cancelled = vi.fn()
  const answer = new ReadableStream({ pull: (pulled) => pulled.enqueue(new Uint8Array(1_024)), cancel: cancelled })
  const measured = createMeasuredFetch(async () => new Response(answer))
  const caller = new AbortController()
  const sent = { body: AS_WRITTEN, most_bytes: 10, onBytes: () => {} }
  const { body } = await measured.send(sent, () =>
    measured.fetch('http://models.test', { method: 'POST', body: '{}', signal: caller.signal }),
  )
  const reader = body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  caller.abort()
  const rest = async () => {
    // some of it may have been read ahead
    for (let ahead = 0; ahead < 5; ahead += 1) await reader?.read()
  }
  await expect(rest()).rejects.toMatchObject({ name: 'AbortError' })
  expect(cancelled).toHaveBeenCalled()
})

test.each([true, false])('an answer beyond all measure is cut off: stream %s', async (stream) => {
  const piece = 'x'.repeat(4 * 1_048_576)
  const { upstream, model } = await beginning((answer) => {
    answer.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    pour(answer, stream ? chunkOf(piece) : piece)
  })
  const request = await upstream.prepare(model, PROMPT, { stream })
  const { signal } = new AbortController()
  const read = async () => {
    if (!stream) return await upstream.generate(request, signal)
    for await (const _piece of upstream.stream(request, signal));
  }
  await expect(read()).rejects.toMatchObject({ outcome: 'lost', message: 'the answer is longer than 128 MiB' })
})
