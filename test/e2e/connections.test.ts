import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import type { ConnectionRecord } from '#core/connection/schema.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { createConnectionBox } from '#platform/connection-box.ts'
import { openTokens } from '#services/connections/refresh-tokens.ts'
import { createAuthorizationStore } from '#store/connections/authorizations.ts'
import { createConnectionStore } from '#store/connections/connections.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { runCli } from '#test/support/cli.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/effects', import.meta.url))
const FIRST = 'first-token-that-nobody-else-has'
const SECOND = 'second-token-that-nobody-else-has'

const KEYS = ['the first key of connections; 32 bytes', 'the second key of connections; 32 bytes']

let service: TestService
let target: Canary
/** every answer of the API in this file */
const answers: string[] = []
let names = 0
/** connections with tokens, which are sealed beside the secret */
let authorized = 0
const cleanups: (() => Promise<void>)[] = []
/** the target takes no credentials */
let refuse = false

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: {
      ...{ SVC_PACKS_DIR: PACKS, SVC_LOG_LEVEL: 'trace' },
      SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more',
      SVC_SECRET_KEYS: KEYS.join(','),
    },
  })
  target = await startCanary((_request, response) => {
    response.statusCode = refuse ? 401 : 200
    response.end('ok')
  })
})
afterEach(() => void target.requests.splice(0))
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup()
  await service.stop()
  await target.stop()
})

async function call<Body>(method: string, path: string, body?: unknown) {
  const reply = await service.call<Body>(method, path, body)
  answers.push(JSON.stringify(reply.body))
  return reply
}

/** A connection to the target, and `development` bound to it by the name of the template. */
async function bound(changes: object = {}): Promise<ConnectionRecord> {
  names += 1
  const draft = { name: `target-${names}`, kind: 'http', config: { base_url: `${target.url}/` }, secret: FIRST }
  const { status, body } = await call<ConnectionRecord>('POST', '/ui/api/connections', { ...draft, ...changes })
  expect(status, JSON.stringify(body)).toBe(201)
  const connections = { api: { kind: 'http', url: `connection:${body.name}` } }
  const environment = await call('PUT', '/ui/api/environments/development', { name: 'development', connections })
  expect(environment.status, JSON.stringify(environment.body)).toBe(200)
  // the worker follows the console within about a second
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  return body
}
async function start(): Promise<string> {
  const { status, body } = await call<RunBody>('POST', '/packs/shown/through/run', { inputs: {} })
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}
const pendingOf = async (id: string) => {
  await awaiting(service, id)
  return (await call<PendingApproval>('GET', `/runs/${id}/pending-approval`)).body
}
const approve = (id: string, { plan_hash }: Pick<PendingApproval, 'plan_hash'>) =>
  call('POST', `/runs/${id}/resume`, { decision: 'approve', plan_hash })

describe('a step through a connection of the console', () => {
  test('signs in with its secret, which stands nowhere else, and its use is on record', async () => {
    const connection = await bound()
    const id = await start()
    const pending = await pendingOf(id)
    expect(pending.operation.connection).toEqual({
      ...{ id: 'api', kind: 'http', host: new URL(target.url).host, base_url: `${target.url}/` },
    })
    await approve(id, pending)
    expect((await ended(service, id)).status).toBe('succeeded')
    expect(target.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${FIRST}`])
    const read = await call<ConnectionRecord>('GET', `/ui/api/connections/${connection.id}`)
    expect(read.body).toMatchObject({
      bound_by: [{ environment: 'development', name: 'api' }],
      last_used_at: expect.stringMatching(/Z$/),
    })
    await call('GET', `/runs/${id}`)
    await call('GET', `/runs/${id}/events`)
    for (const part of ['steps', 'steps/act', 'evidence', 'report', 'lineage', 'context', 'artifacts'])
      await call('GET', `/runs/${id}/${part}`)
    await call('POST', '/packs/shown/through/preflight', { inputs: {} })
    const dry = await call<RunBody>('POST', '/packs/shown/through/run', { inputs: {}, dry_run: true })
    await ended(service, dry.body.id)
    const kept = [...(await everything()), ...(await histories([id, dry.body.id]))]
    expect(kept.filter((text) => text.includes('connection.used') && text.includes(connection.id))).not.toEqual([])
    for (const form of [FIRST, Buffer.from(FIRST).toString('base64').slice(0, 40)])
      expect([...kept, ...answers].filter((text) => text.includes(form))).toEqual([])
  })

  test('signs in with tokens of a provider, which stand nowhere else, also not after they were rotated out', async () => {
    const provider = await startOauthProvider({ redirect_uri: `${service.url}/oauth/callback` })
    cleanups.push(provider.close)
    const oauth = { auth: 'oauth2', config: provider.config({ base_url: `${target.url}/` }), secret: CLIENT_SECRET }
    const connection = await bound(oauth)
    const begun = await fetch(`${service.url}/ui/api/connections/${connection.id}/oauth/start`, {
      ...{ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    })
    const { authorization_url } = (await begun.json()) as { authorization_url: string }
    const cookie = (begun.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? ''
    const page = await fetch(await provider.follow(authorization_url), { headers: { cookie, accept: 'text/html' } })
    expect(page.status).toBe(200)
    authorized += 1
    answers.push(await page.text())
    const box = createConnectionBox(KEYS)
    const tokens = () =>
      onDatabase(async (db) => {
        const row = await createConnectionStore(db as never).find(connection.id)
        if (row === undefined || row.authorization === null) throw new Error('it is not authorised')
        const ports = { authorizations: createAuthorizationStore(db as never), box }
        return await openTokens(ports, { ...row, authorization: row.authorization })
      })
    const runs: string[] = []
    const use = async () => {
      const id = await start()
      runs.push(id)
      await approve(id, await pendingOf(id))
      expect((await ended(service, id)).status).toBe('succeeded')
    }
    const first = await tokens()
    await use()
    await onDatabase(
      (db) =>
        db`update connection_grants set refresh_at = now(), expires_at = now() where connection_id = ${connection.id}`,
    )
    await use()
    const second = await tokens()
    expect(target.requests.map(({ headers }) => headers['authorization'])).toEqual([
      `Bearer ${first?.access_token}`,
      `Bearer ${second?.access_token}`,
    ])
    await call('GET', `/ui/api/connections/${connection.id}`)
    for (const id of runs)
      for (const part of ['', '/events', '/evidence', '/report']) await call('GET', `/runs/${id}${part}`)
    const kept = [...(await everything()), ...(await histories(runs))]
    expect(kept.filter((text) => text.includes('connection.refreshed'))).not.toEqual([])
    const secrets = [CLIENT_SECRET, ...Object.values(first ?? {}), ...Object.values(second ?? {})]
    expect(secrets.every((secret) => secret.length > 20)).toBe(true)
    expect(new Set(secrets).size).toBe(5)
    for (const secret of secrets)
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(0, 40)])
        expect([...kept, ...answers].filter((text) => text.includes(form))).toEqual([])
  })

  test('is asked about again when its secret is rotated while a gate is open, and then uses the new one', async () => {
    const connection = await bound()
    const id = await start()
    const shown = await pendingOf(id)
    const { status } = await call('PATCH', `/ui/api/connections/${connection.id}`, { secret: SECOND })
    expect(status).toBe(200)
    await approve(id, shown)
    const now = await service.until<PendingApproval>(
      `/runs/${id}/pending-approval`,
      (pending) => pending.gate_id !== undefined && pending.gate_id !== shown.gate_id,
    )
    expect(now).toMatchObject({ because: expect.arrayContaining(['plan_changed']) })
    expect(target.requests).toEqual([])
    await approve(id, now)
    expect((await ended(service, id)).status).toBe('succeeded')
    expect(target.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${SECOND}`])
  })

  test('is resealed by the command line while the service runs, and works on', async () => {
    await bound()
    const env = {
      DATABASE_URL: service.database.url,
      SVC_HOME: service.home,
      SVC_SECRET_KEYS: KEYS.toReversed().join(','),
    }
    const { code, stdout, stderr } = await runCli(['secrets', 'reseal', '--json'], { env })
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ resealed: names + authorized, left: [] })
    const lost = await runCli(['secrets', 'reseal'], { env: { ...env, SVC_SECRET_KEYS: KEYS[0] ?? '' } })
    expect([lost.code, lost.stderr]).toEqual([78, expect.stringContaining('conn_')])
    const id = await start()
    await approve(id, await pendingOf(id))
    expect((await ended(service, id)).status).toBe('succeeded')
    expect(target.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${FIRST}`])
  })

  test('is listed, tested and rotated on the command line, without a secret on the screen', async () => {
    const { name } = await bound()
    const env = { SVC_URL: service.url, SVC_HOME: service.home }
    const tested = await runCli(['connections', 'test', name, '--environment', 'development'], { env })
    expect([tested.code, tested.stdout]).toEqual([0, expect.stringMatching(/^healthy {2}\d+ ms {2}/)])
    const empty = await runCli(['connections', 'rotate', name], { env })
    expect(empty.code).toBe(64)
    const rotated = await runCli(['connections', 'rotate', name], { env, input: `${SECOND}\n` })
    expect([rotated.code, rotated.stdout]).toEqual([0, `${name} has the new secret, as version 2\n`])
    const listed = await runCli(['connections', 'list', '--json'], { env })
    const rows = listed.stdout.trim().split('\n')
    expect(rows.map((row) => JSON.parse(row)).find((row) => row.name === name)).toMatchObject({ version: 2 })
    for (const { stdout, stderr } of [tested, empty, rotated, listed])
      for (const secret of [FIRST, SECOND]) expect(stdout + stderr).not.toContain(secret)
    const id = await start()
    await approve(id, await pendingOf(id))
    await ended(service, id)
    expect(target.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${SECOND}`)
  })

  test('is made, bound, used, rotated, unbound and deleted on the command line alone', async () => {
    const env = { SVC_URL: service.url, SVC_HOME: service.home }
    const shown: string[] = []
    const svc = async (args: string[], input = '') => {
      const { code, stdout, stderr } = await runCli(['connections', ...args], { env, input })
      shown.push(stdout, stderr)
      return { code, stdout, stderr }
    }
    const kinds = await svc(['kinds', 'http', '--json'])
    expect(JSON.parse(kinds.stdout)).toMatchObject({ kind: 'http', schema: { required: ['base_url'] } })
    const settings = ['--kind', 'http', '--set', `base_url=${target.url}/v1`, '--workspace', '*']
    const tries = ['--test', 'development', '--secret-stdin']
    const slip = await svc(['create', 'by-hand', '--kind', 'http', '--set', 'base_ulr=x'])
    expect([slip.code, slip.stderr]).toEqual([64, expect.stringContaining('did you mean base_url?')])
    refuse = true
    const refused = await svc(['create', 'by-hand', ...settings, ...tries], FIRST)
    refuse = false
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^failed .*nothing was saved\n$/s)])
    const made = await svc(['create', 'by-hand', ...settings, ...tries], `${FIRST}\n`)
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/by-hand \(conn_.*status +healthy/s)])
    const file = `config: { base_url: "${target.url}/" }\n`
    const moved = await svc(['update', 'by-hand', '--file', '-'], file)
    expect([moved.code, moved.stderr]).toEqual([64, expect.stringContaining('secret_required')])
    await writeFile(join(service.home, 'token'), `${FIRST}\n`)
    const secret_file = ['--secret-file', join(service.home, 'token')]
    const led = await svc(['update', 'by-hand', '--file', '-', '--set', 'test_path=me', ...secret_file, '--json'], file)
    await rm(join(service.home, 'token'))
    const led_to = { base_url: `${target.url}/`, test_path: 'me' }
    expect(JSON.parse(led.stdout)).toMatchObject({ config: led_to, workspaces: ['*'], version: 2 })

    const bind = await svc(['bind', 'by-hand', 'development', 'api'])
    expect([bind.code, bind.stdout]).toEqual([0, expect.stringContaining('development: api is connection by-hand')])
    const early = await svc(['delete', 'by-hand'])
    expect([early.code, early.stderr]).toEqual([75, expect.stringContaining('development')])
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    const rotated = await svc(['rotate', 'by-hand', '--test', 'development'], SECOND)
    expect([rotated.code, rotated.stdout]).toEqual([0, 'by-hand has the new secret, as version 3\n'])
    const id = await start()
    await approve(id, await pendingOf(id))
    expect((await ended(service, id)).status).toBe('succeeded')
    expect(target.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${SECOND}`)
    const used = await svc(['show', 'by-hand'])
    expect(used.stdout).toMatch(/bound by +development\/api/)

    const wrong = await svc(['unbind', 'development', 'apo'])
    expect([wrong.code, wrong.stderr]).toEqual([66, expect.stringContaining('did you mean api?')])
    const unbound = await svc(['unbind', 'development', 'api'])
    expect([unbound.code, unbound.stdout]).toEqual([0, 'development: api is no longer connection:by-hand\n'])
    expect((await svc(['delete', 'by-hand'])).code).toBe(0)
    expect((await svc(['show', 'by-hand'])).code).toBe(66)
    for (const secret of [FIRST, SECOND]) expect(shown.join('')).not.toContain(secret)
  })

  test('that was deleted while a gate was open does not run as its namesake', async () => {
    const connection = await bound()
    const id = await start()
    const pending = await pendingOf(id)
    const connections = { api: { kind: 'http', url: `connection:${connection.name}` } }
    await call('PUT', '/ui/api/environments/development', { name: 'development' })
    expect((await call('DELETE', `/ui/api/connections/${connection.id}`)).status).toBe(204)
    await bound({ name: connection.name, secret: SECOND })
    await call('PUT', '/ui/api/environments/development', { name: 'development', connections })
    await approve(id, pending)
    await service.until<PendingApproval>(
      `/runs/${id}/pending-approval`,
      (now) => now.gate_id !== undefined && now.gate_id !== pending.gate_id,
    )
    expect(target.requests).toEqual([])
    await call('POST', `/runs/${id}/cancel`, { reason: 'seen' })
  })

  test('does not run in a workspace that it was taken from, and does not leave the base address', async () => {
    const connection = await bound()
    const id = await start()
    const shown = await pendingOf(id)
    await onDatabase((db) => db`update connections set workspaces = '{elsewhere}' where id = ${connection.id}`)
    await approve(id, shown)
    expect(await ended(service, id)).toMatchObject({
      status: 'failed',
      error: { code: 'not_found', message: expect.stringContaining('that this workspace may use') },
    })
    expect(target.requests).toEqual([])
  })

  test('whose row leads elsewhere than its secret was sealed for sends nothing', async () => {
    const evil = await startCanary()
    const connection = await bound()
    const config = { base_url: `${evil.url}/` }
    await onDatabase((db) => db`update connections set config = ${db.json(config)} where id = ${connection.id}`)
    const id = await start()
    expect(await ended(service, id)).toMatchObject({
      ...{
        status: 'failed',
        error: { code: 'not_configured', message: expect.stringContaining('not what was sealed') },
      },
    })
    expect(evil.connections()).toBe(0)
    await evil.stop()
  })
})

describe('a connection that an environment refers to', () => {
  test('is deleted only when none does any more', async () => {
    const connection = await bound()
    const refused = await call('DELETE', `/ui/api/connections/${connection.id}`)
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'conflict', bound_by: [{ environment: 'development', name: 'api' }] },
    ])
    await call('PUT', '/ui/api/environments/development', { name: 'development' })
    expect((await call('DELETE', `/ui/api/connections/${connection.id}`)).status).toBe(204)
    const connections = { api: { kind: 'http', url: `connection:${connection.name}` } }
    const dangling = await call('PUT', '/ui/api/environments/development', { name: 'development', connections })
    expect([dangling.status, JSON.stringify(dangling.body)]).toEqual([
      422,
      expect.stringContaining(`there is no connection ${connection.name}`),
    ])
  })
})

async function onDatabase<Found>(work: (db: postgres.Sql) => PromiseLike<Found>): Promise<Found> {
  const db = postgres(service.database.owner_url, { max: 1, connection: { 'svc.workspace': '*' } as object })
  return await Promise.resolve(work(db)).finally(() => db.end())
}

/** The histories of runs as Temporal keeps them, their payloads as text. */
async function histories(ids: string[]): Promise<string[]> {
  const found: string[] = []
  for await (const { workflowId, runId } of service.temporal.workflow.list()) {
    if (!ids.some((id) => workflowId.includes(id))) continue
    const history = await service.temporal.workflow.getHandle(workflowId, runId).fetchHistory()
    const text = JSON.stringify(history, (key, value) =>
      key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
    )
    found.push(text)
  }
  // what was looked through has what the workflows were given
  expect(found.join('')).toContain(JSON.stringify(ids[0]).replaceAll('"', '\\"'))
  return found
}

/** Every row of every table, and every file of the service: its logs and its audit log. */
async function everything(): Promise<string[]> {
  const found: string[] = []
  await onDatabase(async (db) => {
    const tables = await db<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and has_table_privilege(oid, 'select')`
    for (const { name } of tables)
      for (const { text } of await db<{ text: string }[]>`select t::text as text from ${db(name)} t`) found.push(text)
  })
  for (const entry of await readdir(service.home, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) found.push(await readFile(join(entry.parentPath, entry.name), 'utf8'))
  return found
}
