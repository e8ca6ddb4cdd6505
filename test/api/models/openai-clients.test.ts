import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { fileFixture } from '#test/support/file-fixture.ts'
import { openModelWorld } from '#test/support/model-world.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { admitTestRun } from '#test/support/test-runs.ts'

const PYTHON = fileURLToPath(new URL('../../support/openai-client.py', import.meta.url))
const OVER_CAP = {
  kind: 'APIStatusError',
  status: 402,
  code: 'budget_exceeded',
  text: expect.stringContaining('cap of the run'),
}
const UNKNOWN = { kind: 'NotFoundError', status: 404, code: 'model_not_found', text: expect.stringContaining('gpt-9') }

// the official client for JavaScript is in create-chat-completion.test.ts
describe('the Python clients', needs('openaiclient'), () => {
  const world = fileFixture(openModelWorld)

  test('of OpenAI and LangChain chat, stream, call tools, parse answers and stop where they are refused', async () => {
    const run = await admitTestRun(world.api, { cap_micro_usd: 1_000 })
    const { command, env } = programOf('openaiclient')
    const input = JSON.stringify({ base_url: world.url, key: 'none', run })
    const { stdout } = await execa(command, [PYTHON], { env, input })
    const { official, langchain } = JSON.parse(stdout)
    expect(official).toEqual({
      models: expect.arrayContaining(['default', 'echo']),
      chat: 'hello there',
      headers: { 'x-svc-model': 'echo', 'x-svc-cost-usd': expect.stringMatching(/^0\.\d{6}$/) },
      streamed: 'hello there',
      stream_usage: 7,
      finish: 'tool_calls',
      tool: ['weather', '{"city":"Oslo"}'],
      after_tool: 'rain',
      streamed_tool: ['tool_calls', '{"city":"Oslo"}'],
      parsed: 'hello there',
      json: { answer: 'hello there' },
      over_cap: OVER_CAP,
      unknown: UNKNOWN,
    })
    expect(langchain).toEqual({
      chat: 'hello there',
      usage: 7,
      streamed: 'hello there',
      stream_usage: 7,
      tool: { city: 'Oslo' },
      streamed_tool: { city: 'Oslo' },
      after_tool: 'rain',
      parsed: 'hello there',
      json: 'hello there',
      over_cap: OVER_CAP,
      unknown: { ...UNKNOWN, kind: 'OpenAIModelNotFoundError' },
    })
    // what was refused was sent to nobody, and not asked again
    expect(world.upstream.received()).toEqual({ echo: 14 })
  })
})
