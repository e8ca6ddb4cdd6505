import { readdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/effects', import.meta.url))
const TOKEN = `tok "7'/+-${'Q'.repeat(12)}-secret`
const PASSWORD = 'correct horse&battery=staple'

interface Pending {
  plan_hash: string
  inputs: { headers: Record<string, string>; json: Record<string, string> }
  secret_commitments: Record<string, string>
  plan: { command: string }
}

let service: TestService
let target: Awaited<ReturnType<typeof startEcho>>
/** every answer of the API in this file */
const answers: string[] = []

beforeAll(async () => {
  target = await startEcho()
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: {
      SVC_PACKS_DIR: PACKS,
      SVC_LOG_LEVEL: 'trace',
      SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more',
    },
  })
})
afterAll(async () => {
  await service.stop()
  await target.stop()
})

async function call<Body>(method: string, path: string, body?: unknown) {
  const reply = await service.call<Body>(method, path, body)
  answers.push(JSON.stringify(reply.body), JSON.stringify([...reply.headers]))
  return reply
}

async function start(token = TOKEN): Promise<string> {
  const inputs = { url: target.url, token, login: { user: 'ada', password: PASSWORD } }
  const { status, body } = await call<RunBody>('POST', '/packs/secrets/echo/run', { inputs, reason: `with ${token}` })
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  await awaiting(service, body.id)
  return body.id
}

const pendingOf = async (id: string) => (await call<Pending>('GET', `/runs/${id}/pending-approval`)).body
const inputsHash = async (id: string) =>
  (await call<RunBody & { inputs_hash: string }>('GET', `/runs/${id}`)).body.inputs_hash

describe('a secret input', () => {
  test('reaches the target as it is and stands nowhere else', async () => {
    const id = await start()
    const pending = await pendingOf(id)
    expect(pending.inputs.headers).toMatchObject({
      authorization: 'Bearer <secret:token>',
      'x-plain': '<secret:token>',
    })
    expect(pending.inputs.json).toMatchObject({
      token: '<secret:token>',
      note: 'login as ada with <secret:login.password>',
    })
    expect(Object.keys(pending.secret_commitments).sort()).toEqual([
      '/headers/authorization',
      '/headers/x-plain',
      '/json/note',
      '/json/token',
    ])
    for (const commitment of Object.values(pending.secret_commitments))
      expect(commitment).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
    expect(await secretRows(id)).toBe(1)
    await call('POST', `/runs/${id}/resume`, { decision: 'approve' })
    expect((await ended(service, id)).status).toBe('succeeded')

    const sent = target.requests.find((request) => request.path === '/send')
    expect(sent?.headers['x-plain']).toBe(TOKEN)
    expect(JSON.parse(sent?.body ?? '')).toEqual({ token: TOKEN, note: `login as ada with ${PASSWORD}` })
    // what a step brought back is redacted for later steps too
    expect(target.requests.find((request) => request.path === '/again')?.body).not.toContain(PASSWORD)
    for (const path of [
      `/runs/${id}`,
      `/runs/${id}/events`,
      `/runs/${id}/report`,
      `/runs/${id}/artifacts`,
      `/runs/${id}/lineage`,
      '/runs',
    ])
      await call('GET', path)
    expect(await secretRows(id)).toBe(0)
    answers.push(await historyOf(id))
    await expectNowhere()
  })

  test('is not given away by a failure', async () => {
    const { body } = await call<RunBody>('POST', '/packs/secrets/refused/run', {
      inputs: { url: target.url, token: TOKEN },
    })
    expect(await ended(service, body.id)).toMatchObject({ status: 'failed', error: { code: 'http_status' } })
    await call('GET', `/runs/${body.id}`)
    await call('GET', `/runs/${body.id}/events`)
    await expectNowhere()
  })

  test('is not given away by an expression that cannot be evaluated', async () => {
    const { body } = await call<RunBody>('POST', '/packs/secrets/unrendered/run', {
      inputs: { url: target.url, token: TOKEN },
    })
    const run = await ended(service, body.id)
    expect(run).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('<secret:token>') } })
    answers.push(JSON.stringify(run), await historyOf(body.id))
    await expectNowhere()
  })

  test('has the same commitment in every run, and another value is another plan', async () => {
    const [first, second, other] = [await start(), await start(), await start(`${TOKEN}2`)]
    const [a, b, c] = [await pendingOf(first), await pendingOf(second), await pendingOf(other)]
    expect(b.secret_commitments).toEqual(a.secret_commitments)
    expect(b.plan_hash).toBe(a.plan_hash)
    expect(await inputsHash(second)).toBe(await inputsHash(first))
    expect(c.secret_commitments['/headers/x-plain']).not.toBe(a.secret_commitments['/headers/x-plain'])
    expect(c.plan_hash).not.toBe(a.plan_hash)
    expect(await inputsHash(other)).not.toBe(await inputsHash(first))
    for (const id of [first, second, other]) await call('POST', `/runs/${id}/cancel`, {})
    await expectNowhere()
  })

  test('cannot be sent back as it was shown', async () => {
    const { status, body } = await call<{ errors: { pointer: string }[] }>('POST', '/packs/secrets/echo/run', {
      inputs: { url: target.url, token: '<secret:token>' },
    })
    expect(status).toBe(422)
    expect(body.errors.map((error) => error.pointer)).toEqual(['/inputs/token'])
  })
})

/** What the engine keeps of a run, payloads decoded. */
async function historyOf(id: string): Promise<string> {
  const history = await service.temporal.workflow.getHandle(id).fetchHistory()
  const texts: string[] = []
  JSON.stringify(history, (name, value: unknown) => {
    if (name === 'data' && typeof value === 'string') texts.push(Buffer.from(value, 'base64').toString('utf8'))
    return value
  })
  expect(texts.join()).toContain(id)
  return `${texts.join(' ')} ${JSON.stringify(history)}`
}

async function secretRows(id: string): Promise<number> {
  const [row] = await service.database.db<{ n: number }[]>`
    select count(*)::int as n from run_secrets where run_id = ${id}`
  return row?.n ?? 0
}

/** The shapes of both secrets that a plain search must not find: independent of the redactor's own list. */
const SHAPES = [TOKEN, PASSWORD].flatMap((secret) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
])
// what stays when quotes and escapes are taken differently
SHAPES.push('QQQQQQQQQQQQ', 'horse&battery', 'horse%26battery')

async function expectNowhere(): Promise<void> {
  const places = [...(await tableTexts()), ...(await fileTexts()), ...answers.map((each) => ['answer', each] as const)]
  // the search finds what is there
  expect(places.some(([place, content]) => place === 'runs.inputs' && content.includes(target.url))).toBe(true)
  const found = places.flatMap(([place, content]) =>
    SHAPES.filter((shape) => content.includes(shape)).map((shape) => `${place}: ${shape}`),
  )
  expect(found).toEqual([])
}

/** Every value of every text-like column of every table, read as the owner of the database. */
async function tableTexts(): Promise<(readonly [string, string])[]> {
  const sql = postgres(service.database.owner_url, { max: 1 })
  try {
    const columns = await sql<{ table_name: string; column_name: string; data_type: string }[]>`
      select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'`
    const texts: (readonly [string, string])[] = []
    for (const { table_name, column_name, data_type } of columns) {
      const value = data_type === 'bytea' ? sql`encode(${sql(column_name)}, 'escape')` : sql`${sql(column_name)}::text`
      const rows = await sql<{ value: string | null }[]>`select ${value} as value from ${sql(table_name)}`
      for (const row of rows) if (row.value !== null) texts.push([`${table_name}.${column_name}`, row.value])
    }
    expect(columns.map((column) => column.table_name)).toContain('artifact_bodies')
    return texts
  } finally {
    await sql.end()
  }
}

async function fileTexts(): Promise<(readonly [string, string])[]> {
  const files = (await readdir(service.home)).filter((file) => /\.(log|jsonl)$/.test(file))
  expect(files).toEqual(expect.arrayContaining(['audit.jsonl', 'api-main.ts.log', 'workers-main.ts.log']))
  return await Promise.all(files.map(async (file) => [file, await readFile(join(service.home, file), 'utf8')] as const))
}

interface SeenRequest {
  path: string
  headers: Record<string, string>
  body: string
}

/** A target that answers with all it was sent: as it is, JSON-escaped, URL-encoded and in base64. */
async function startEcho() {
  const requests: SeenRequest[] = []
  const server: Server = createServer((request, response) => {
    text(request).then((body) => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      requests.push({ path: request.url ?? '', headers, body })
      const all = `${headers['x-plain'] ?? ''} ${headers['x-token'] ?? ''} ${request.url} ${body}`
      const forms = [
        encodeURIComponent(all),
        Buffer.from(all).toString('base64'),
        Buffer.from(all).toString('hex'),
        JSON.stringify(all),
      ]
      const status = request.url === '/refuse' ? 400 : 200
      response.writeHead(status, { 'content-type': 'application/json', 'x-echo': encodeURIComponent(all) })
      response.end(JSON.stringify({ headers, body, forms, [all]: 1 }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
