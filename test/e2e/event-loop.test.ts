import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { routes } from '#api/registry.ts'
import { type ModelServer, startModelServer } from '#cli/dev/model-server.ts'
import { type DescribedOperation, describedOperation } from '#test/support/api-document.ts'
import { parseMetrics } from '#test/support/prometheus.ts'
import { PROVIDER_WIRES } from '#test/support/provider-wires.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { slowness } from '#test/support/slowness.ts'
import { worstJson, worstYaml } from '#test/support/worst-bodies.ts'

/** What one request may cost all others. */
const MAX_MS = 100
/** A machine that is busy with something else holds the process up by itself: the least of so many counts. */
const ROUNDS = 8
/** How long a reader of another workspace waits at most meanwhile. */
const READ_WITHIN_MS = 1_000
const MIB = 1_048_576

let service: TestService
let upstream: ModelServer
/** a provider that takes arguments of tools as an object */
const objects = createServer((request, response) => {
  request.resume().once('end', () => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(PROVIDER_WIRES.find(({ provider }) => provider === 'anthropic')?.whole))
  })
})
let loud: Record<string, string>
let quiet: Record<string, string>
const reader = { on: true, longest_ms: 0, failed: [] as number[], done: Promise.resolve() }

beforeAll(async () => {
  upstream = await startModelServer()
  await new Promise<void>((resolve) => objects.listen(0, '127.0.0.1', resolve))
  const { port } = objects.address() as AddressInfo
  const model = (id: string, at: string) =>
    `  - { id: ${id}, ${at}, prices: { input: 1, output: 1 }, limits: { context: 4000000, output: 100 } }\n`
  const models = [
    model('echo', 'provider: openai_compatible'),
    model('objects', `provider: anthropic, key: "env:A_KEY", base_url: "http://127.0.0.1:${port}/v1"`),
  ]
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: {
      SVC_SECRET_KEY: 'the master key of the tests, long enough',
      SVC_MODEL_BASE_URL: upstream.url,
      A_KEY: 'a key',
    },
    files: {
      'models.yaml': `models:\n${models.join('')}roles: { default: echo }\n`,
      'environments/development.yaml':
        'name: development\nworkspaces: ["*"]\negress: [loopback]\ncost_gate: { max_usd: 1000, daily_usd: 100000 }\n',
    },
  })
  loud = await makeWorkspace('loud')
  quiet = await makeWorkspace('quiet')
  reader.done = read()
})
afterAll(async () => {
  reader.on = false
  await reader.done
  await service.stop()
  await upstream.stop()
  objects.closeAllConnections()
  objects.close()
})

async function makeWorkspace(slug: string): Promise<Record<string, string>> {
  const { body } = await service.call<{ id: string }>('POST', '/workspaces', { slug, name: slug })
  return { 'x-svc-workspace': body.id }
}

async function read(): Promise<void> {
  while (reader.on) {
    const began = performance.now()
    const { status } = await service.call('GET', '/runs', undefined, quiet)
    if (status !== 200) reader.failed.push(status)
    const took = performance.now() - began
    reader.longest_ms = Math.max(reader.longest_ms, took > READ_WITHIN_MS ? took / slowness() : took)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** How long the event loop of the API was held at most since the last time that this was asked. */
async function longestHold(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return parseMetrics(text).value('nodejs_eventloop_lag_max_seconds') * 1_000
}

/** The least hold of the rounds, as on a machine of usual speed. */
async function holds(act: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && least > MAX_MS; round += 1) {
    await longestHold()
    await act()
    const held = await longestHold()
    least = Math.min(least, held > MAX_MS ? held / slowness() : held)
  }
  return Math.round(least)
}

async function send(method: string, path: string, body: string, type = 'application/json'): Promise<number> {
  const headers = { ...loud, 'content-type': type }
  const answer = await fetch(`${service.url}${path}`, { method, body, headers })
  await answer.arrayBuffer()
  return answer.status
}

/** What held the event loop for too long, by what was sent. */
async function tooLong(bodies: Record<string, string>, act: (body: string) => Promise<unknown>): Promise<string[]> {
  const found: string[] = []
  for (const [name, body] of Object.entries(bodies)) {
    const ms = await holds(() => act(body))
    if (ms > MAX_MS) found.push(`${name}: ${ms} ms`)
  }
  return found
}

const schemaOf = ({ requestBody }: DescribedOperation) => requestBody?.content?.['application/json']?.schema
const isDocument = ({ requestBody }: DescribedOperation) => requestBody?.content?.['text/yaml'] !== undefined

/** Of the routes that take a body, each with an address that leads to it. */
const taking = routes
  .filter(({ method }) => method !== 'get' && method !== 'delete')
  .map(({ operationId, method, path }) => ({
    operationId,
    method: method.toUpperCase(),
    path: path.replace('{pack}/{tpl}', 'sre/service-recovery').replaceAll(/\{(\w+)\}/g, 'absent'),
    operation: describedOperation(operationId),
  }))

describe('no request holds the event loop for more than 100 ms', () => {
  test.each(taking.filter(({ operation }) => schemaOf(operation) !== undefined))(
    'JSON for $operationId',
    async ({ method, path, operation }) => {
      expect(await tooLong(worstJson(schemaOf(operation)), (body) => send(method, path, body))).toEqual([])
    },
  )

  test.each(taking.filter(({ operation }) => isDocument(operation)))(
    'YAML for $operationId',
    async ({ method, path }) => {
      expect(await tooLong(worstYaml(), (body) => send(method, path, body, 'text/yaml'))).toEqual([])
    },
  )

  test.each(['/packs/sre/service-recovery/run', '/packs/sre/service-recovery/validate', '/triggers/manual'])(
    'inputs of five megabytes: %s',
    async (path) => {
      const start = { pack: 'sre', template: 'service-recovery' }
      const bodies = Object.fromEntries(
        Object.entries(worstJson(undefined, 5 * MIB)).map(([name, inputs]) => [
          name,
          `{${JSON.stringify(start).slice(1, -1)},"inputs":${inputs}}`,
        ]),
      )
      bodies['one text'] = JSON.stringify({ ...start, inputs: { url: `http://x/${' '.repeat(5 * MIB - 200)}` } })
      expect(await tooLong(bodies, (body) => send('POST', path, body))).toEqual([])
    },
  )
})

describe('no conversation with a model that answers does either', () => {
  const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'look', arguments: args } })
  const talk = (args: string[]) => [
    { role: 'user', content: 'Is all well?' },
    { role: 'assistant', tool_calls: args.map((each, n) => call(`c${n}`, each)) },
    ...args.map((_, n) => ({ role: 'tool', tool_call_id: `c${n}`, content: 'well' })),
  ]
  const bytes = MIB - 4_096
  const TALKS: Record<string, object[]> = {
    'nested lists as arguments': talk([`{"a":${'['.repeat(bytes / 2 - 8)}${']'.repeat(bytes / 2 - 8)}}`]),
    'nested objects as arguments': talk([`${'{"a":'.repeat(bytes / 8 - 8)}0${'}'.repeat(bytes / 8 - 8)}`]),
    'many keys as arguments': talk([`{${Array.from({ length: bytes / 14 }, (_, n) => `"k${n}":0`)}}`]),
    'many objects as arguments': talk([`{"a":[${'{},'.repeat(bytes / 4)}{}]}`]),
    'broken text as arguments': talk(['"'.repeat(bytes / 3)]),
    'thousands of calls': talk(Array(3_000).fill('{"a":1}')),
    'thousands of turns': Array(9_000).fill({ role: 'user', content: 'Is it?' }),
    'one long message': [{ role: 'user', content: 'a b '.repeat(bytes / 4 - 50) }],
  }
  test.each(
    ['echo', 'objects'].flatMap((model) =>
      Object.entries(TALKS).map(([name, messages]) => ({ model, name, messages })),
    ),
  )('$name, sent to $model', async ({ model, messages }) => {
    const body = JSON.stringify({ model, messages })
    expect(body.length).toBeLessThan(MIB)
    expect(await send('POST', '/v1/chat/completions', body)).toBe(200)
    expect(await holds(() => send('POST', '/v1/chat/completions', body))).toBeLessThanOrEqual(MAX_MS)
  })
})

describe('what a workspace has written does not hold the event loop either', () => {
  const RULES: Record<string, string> = {
    'lists of lists': 'alert.description.split("").map(c, alert.description.split("")).size() > 0',
    'lists of lists of lists': 'alert.labels.map(a, alert.labels.map(b, alert.labels.map(c, a + b + c))).size() > 0',
    'a pattern': 'alert.description.matches("^(a|a|b)*c$")',
    'text that doubles': Array(24)
      .fill('')
      .reduce((text: string) => `(${text} + ${text})`, 'alert.description')
      .slice(0, 2_000),
  }
  test.each(Object.entries(RULES))('a rule with %s', async (name, when) => {
    const rule = { name: name.replaceAll(' ', '-'), on: 'alert', match: { when }, run: 'sre/service-recovery' }
    const made = await send('POST', '/ui/api/triggers', JSON.stringify(rule))
    expect([201, 422]).toContain(made)
    const labels = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`l${n}`, 'x'.repeat(400)]))
    const alert = {
      status: 'firing',
      labels: { alertname: 'Loud', ...labels },
      annotations: { description: 'ab '.repeat(10_000) },
    }
    const body = JSON.stringify({ version: '4', groupKey: 'g', status: 'firing', receiver: 'r', alerts: [alert] })
    expect(await holds(() => send('POST', '/triggers/alert', body))).toBeLessThanOrEqual(MAX_MS)
    if (made === 201) await send('DELETE', `/ui/api/triggers/${rule.name}`, '')
  })

  const DOCUMENTS: Record<string, (bytes: number) => string> = {
    'a heading of blanks': (bytes) => `# ${' '.repeat(bytes - 3)}\r`,
    'nothing but headings': (bytes) => '# a\n'.repeat(bytes / 4),
    'nothing but ends of lines': (bytes) => '\n'.repeat(bytes),
    'nothing but fences': (bytes) => '~~~\n'.repeat(bytes / 4),
    'one word': (bytes) => 'a'.repeat(bytes),
    'one line of words': (bytes) => 'ab '.repeat(bytes / 3),
  }
  test.each(Object.entries(DOCUMENTS))('a document of %s', async (name, text) => {
    const corpus = { name: name.replaceAll(' ', '-'), source: { kind: 'inline' } }
    const made = await service.call<{ id: string }>('POST', '/ui/api/knowledge', corpus, loud)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const body = JSON.stringify({ documents: [{ path: 'a.md', text: text(MIB) }] })
    expect(await holds(() => send('POST', `/ui/api/knowledge/${made.body.id}/index`, body))).toBeLessThanOrEqual(MAX_MS)
  })

  test.each(['0 0 29 2 1', '59 59 23 31 12 7', '*/7 */5 */3 31 */2 1', '0-59,1-58,2-57 0-23 1-31 1-12 0-7'])(
    'a schedule at %s',
    async (cron) => {
      const query = new URLSearchParams({ cron, timezone: 'America/Santiago', days: 'and' })
      const ms = await holds(() => fetch(`${service.url}/triggers/scheduled/preview?${query}`, { headers: loud }))
      expect(ms).toBeLessThanOrEqual(MAX_MS)
    },
  )

  test('a delivery of a thousand alerts', async () => {
    const labels = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`label${n}`, 'x'.repeat(20)]))
    const alerts = Array.from({ length: 1_000 }, (_, n) => ({
      status: 'firing',
      labels: { alertname: `A${n}`, ...labels },
      annotations: { summary: 'nothing fits it' },
    }))
    const body = JSON.stringify({ version: '4', groupKey: 'g', status: 'firing', receiver: 'r', alerts })
    expect(await holds(() => send('POST', '/triggers/alert', body))).toBeLessThanOrEqual(MAX_MS)
  })
})

test('a reader of another workspace was answered all along', () => {
  expect(reader.failed).toEqual([])
  expect(reader.longest_ms).toBeLessThanOrEqual(READ_WITHIN_MS)
})
