import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { ChatPrompt } from '#core/models/chat.ts'
import type { PricedModel } from '#core/models/model.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
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
