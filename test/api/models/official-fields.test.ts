import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { HANDED_ON, REFUSED } from '#test/support/chat-fields.ts'
import { type ModelWorld, openModelWorld } from '#test/support/model-world.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { PRICES } from '#test/support/scripted-models.ts'
import { type StrictProvider, startStrictProvider } from '#test/support/strict-provider.ts'

const PYTHON = fileURLToPath(new URL('../../support/openai-fields.py', import.meta.url))
const LIMIT = { max_completion_tokens: 20 }

interface Asked {
  fields: Record<string, unknown>
  stream: boolean
}
interface Outcome {
  content?: string | null
  status?: number
  param?: string | null | undefined
}

const both = (fields: Record<string, unknown>) =>
  Object.entries(fields).flatMap(([name, value]): Asked[] =>
    [false, true].map((stream) => ({ fields: { ...LIMIT, [name]: value }, stream })),
  )
const handedOn = both(HANDED_ON)
const refused = both(REFUSED)

let provider: StrictProvider
let world: ModelWorld
beforeAll(async () => {
  const known = [...Object.keys(HANDED_ON), 'model', 'messages', 'max_completion_tokens', 'stream', 'stream_options']
  provider = await startStrictProvider(known)
  world = await openModelWorld(inject('postgres_url'), {
    change: (models) => [
      ...models,
      {
        ...{ id: 'strict', model: 'strict', provider: 'openai_compatible', base_url: provider.url, prices: PRICES },
        ...{ limits: { context: 8_000, output: 100 }, timeout_ms: 30_000, structured_outputs: true },
        limit_field: 'max_completion_tokens',
      },
    ],
  })
})
afterAll(async () => {
  await world?.close()
  await provider?.close()
})
beforeEach(() => {
  provider.bodies.length = 0
})

async function byNode(requests: Asked[]): Promise<Outcome[]> {
  const { completions } = new OpenAI({ baseURL: world.url, apiKey: 'none', maxRetries: 0 }).chat
  const outcomes: Outcome[] = []
  for (const { fields, stream } of requests) {
    const request = { model: 'strict', messages: [{ role: 'user' as const, content: 'hello' }], ...fields }
    try {
      if (stream) {
        let content = ''
        for await (const { choices } of await completions.create({ ...request, stream: true }))
          content += choices[0]?.delta.content ?? ''
        outcomes.push({ content })
      } else outcomes.push({ content: (await completions.create(request)).choices[0]?.message.content ?? null })
    } catch (error) {
      if (!(error instanceof OpenAI.APIError)) throw error
      outcomes.push({ status: error.status, param: error.param })
    }
  }
  return outcomes
}

async function byPython(requests: Asked[]): Promise<Outcome[]> {
  const { command, env } = programOf('openaiclient')
  const { stdout } = await execa(command, [PYTHON], { env, input: JSON.stringify({ base_url: world.url, requests }) })
  return JSON.parse(stdout)
}

/** The table of docs/models.md, before a provider that refuses what it does not know. */
async function tableHolds(send: (requests: Asked[]) => Promise<Outcome[]>): Promise<void> {
  expect(await send(handedOn)).toEqual(handedOn.map(() => ({ content: 'yes' })))
  expect(provider.bodies).toEqual(handedOn.map(({ fields }) => expect.objectContaining(fields)))
  expect(await send(refused)).toEqual(
    refused.map(({ fields }) => ({ status: 422, param: Object.keys(fields).find((name) => !(name in LIMIT)) })),
  )
  expect(provider.bodies).toHaveLength(handedOn.length)
}

test('every field is handed on or refused by name: official client for JavaScript, whole and streamed', () =>
  tableHolds(byNode))

describe('the Python client', needs('openaiclient'), () => {
  test('every field is handed on or refused by name: official client for Python, whole and streamed', () =>
    tableHolds(byPython))
})
