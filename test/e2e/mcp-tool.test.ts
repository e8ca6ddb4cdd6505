import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { McpToolRecord, McpToolsFound } from '#core/mcp/record-schema.ts'
import type { Preflight } from '#core/plan/preflight-schema.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { runCli } from '#test/support/cli.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startMcpServer } from '#test/support/mcp-server.ts'
import { type Neighbour, startNeighbour } from '#test/support/neighbour.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACK = fileURLToPath(new URL('../packs/tools/tools', import.meta.url))
const TOKEN = 'a-token-that-nobody-else-has'

const environment = (name: string) =>
  JSON.stringify({
    ...{ name, egress: ['loopback'] },
    connections: Object.fromEntries(
      ['desk', 'everything', 'notes'].map((each) => [each, { kind: 'mcp', url: `connection:${each}` }]),
    ),
  })

let service: TestService
let server: Awaited<ReturnType<typeof startMcpServer>>
let tools: string

beforeAll(async () => {
  server = await startMcpServer({ token: TOKEN })
  service = await startTestService({
    ...{ postgres_url: inject('postgres_url'), temporal_address: inject('temporal_address') },
    env: { SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more' },
    files: {
      'environments/development.yaml': environment('development'),
      'environments/production.yaml': environment('production'),
      'packs/tools/pack.yaml': await readFile(join(PACK, 'pack.yaml'), 'utf8'),
      'packs/tools/templates/call.yaml': await readFile(join(PACK, 'templates/call.yaml'), 'utf8'),
    },
  })
  tools = await connect({ name: 'desk', kind: 'mcp', config: { url: server.url }, secret: TOKEN })
})
beforeEach(() => server.reset())
afterAll(async () => {
  await service.stop()
  await server.stop()
})

/** Where the tools of a new connection are. */
async function connect(draft: object): Promise<string> {
  const { status, body } = await service.call<{ id: string }>('POST', '/ui/api/connections', draft)
  expect(status, JSON.stringify(body)).toBe(201)
  return `/ui/api/connections/${body.id}/tools`
}

const svc = (...args: string[]) =>
  runCli(['connections', 'tools', ...args], { env: { SVC_URL: service.url, SVC_HOME: service.home } })
const toolNamed = async (name: string) =>
  (await service.call<McpToolRecord[]>('GET', tools)).body.find((each) => each.name === name)
const calls = () => server.requests.filter(({ method }) => method === 'tools/call').length
const actions = (action: string) =>
  chainEvents<{ action: string; data: Record<string, unknown> }>(service.home).filter((each) => each.action === action)

async function accept(): Promise<void> {
  const found = await service.call<McpToolsFound>('POST', tools, {})
  expect(found.status, JSON.stringify(found.body)).toBe(200)
  const body = { definition_digest: (await toolNamed('write'))?.definition_digest }
  expect((await service.call('POST', `${tools}/write/accept`, body)).status).toBe(200)
}
async function start(changes: object = {}, template = 'tools/call'): Promise<string> {
  const sent = { inputs: { text: 'a' }, ...changes }
  const { status, body } = await service.call<RunBody>('POST', `/packs/${template}/run`, sent)
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}
async function approve(id: string): Promise<PendingApproval> {
  await awaiting(service, id)
  const { body } = await service.call<PendingApproval>('GET', `/runs/${id}/pending-approval`)
  await service.call('POST', `/runs/${id}/resume`, { decision: 'approve', plan_hash: body.plan_hash })
  return body
}
const connectionsCheck = async () => {
  const { body } = await service.call<Preflight>('POST', '/packs/tools/call/preflight', { inputs: { text: 'a' } })
  return { verdict: body.verdict, ...body.checks.find(({ id }) => id === 'connections') }
}

describe('a tool that nobody has accepted', () => {
  test('stops the preflight, the simulation and the run, and nobody is asked', async () => {
    expect(await connectionsCheck()).toMatchObject({
      ...{ verdict: 'blocked', message: 'desk (desk): the tool write of desk was not accepted' },
      fix: 'an admin reads and accepts it: svc connections tools discover desk',
    })
    for (const dry_run of [true, false]) {
      const run = await ended(service, await start({ dry_run }))
      expect(run).toMatchObject({ status: 'failed', error: { code: 'not_configured' } })
      expect(run.error?.message).toContain('the tool write of desk was not accepted')
    }
    expect(server.requests).toEqual([])
  })
})

describe('a tool that was accepted', () => {
  beforeEach(accept)

  test('is called once, after a person has approved it', async () => {
    expect(await connectionsCheck()).toMatchObject({ verdict: 'ready' })
    const id = await start()
    await awaiting(service, id)
    expect(calls()).toBe(0)
    const { plan } = await approve(id)
    expect(plan.command).toBe('tools/call write {"text":"a"}')
    expect(await ended(service, id)).toMatchObject({ status: 'succeeded', outputs: { count: 1 } })
    expect([calls(), server.written, server.sessions.size]).toEqual([1, ['a'], 0])
  })

  test('is called by no simulation', async () => {
    expect((await ended(service, await start({ dry_run: true }))).status).toBe('succeeded')
    expect(calls()).toBe(0)
  })

  test('that its server changes before the call is not called, until a person accepts it as it is', async () => {
    const id = await start()
    await awaiting(service, id)
    server.redefine('write', { description: 'Writes a text, and sends it elsewhere' })
    await approve(id)
    expect(await ended(service, id)).toMatchObject({
      status: 'failed',
      error: { code: 'plan_changed', details: { changes: [{ member: 'description', before: 'Writes a text' }] } },
    })
    expect([calls(), server.written]).toEqual([0, []])

    // on record: the list shows it, and no other run gets as far as a person
    const description = 'Writes a text, and sends it elsewhere'
    expect(await toolNamed('write')).toMatchObject({ state: 'changed', changes: [{ after: description }] })
    await expect
      .poll(() => actions('connection.tool_changed'))
      .toMatchObject([{ data: { tool: 'write', changes: ['description'], offered: true } }])
    expect(await connectionsCheck()).toMatchObject({
      ...{ verdict: 'blocked', message: 'desk (desk): the tool write of desk is not what was accepted (description)' },
    })
    expect(await ended(service, await start())).toMatchObject({ status: 'failed', error: { code: 'plan_changed' } })
    expect(actions('connection.tool_changed')).toHaveLength(1)

    await accept()
    const next = await start()
    await approve(next)
    expect(await ended(service, next)).toMatchObject({ status: 'succeeded' })
    expect(calls()).toBe(1)
  })

  test('that its server has no more is removed', async () => {
    const id = await start()
    await awaiting(service, id)
    server.tools.delete('write')
    await approve(id)
    expect(await ended(service, id)).toMatchObject({ status: 'failed', error: { code: 'plan_changed' } })
    expect(await toolNamed('write')).toMatchObject({ state: 'removed' })
    expect(calls()).toBe(0)
  })

  test('whose acceptance is taken back while a person looks at it is not called', async () => {
    const id = await start()
    await awaiting(service, id)
    expect((await service.call('POST', `${tools}/write/withdraw`)).status).toBe(200)
    await approve(id)
    const run = await ended(service, id)
    expect(run).toMatchObject({ status: 'failed', error: { code: 'not_configured' } })
    expect(calls()).toBe(0)
  })
})

test('tools are found, read, accepted and taken back on the command line', async () => {
  await service.database.db`delete from mcp_tools`
  const empty = await svc('list', 'desk')
  expect(empty.stdout + empty.stderr).toContain('no tools yet: svc connections tools discover desk')
  server.redefine('write', { description: 'Writes\u202e a text' })
  const found = await svc('discover', 'desk', '--environment', 'development', '--json')
  expect([found.code, found.stdout.trim().split('\n')]).toMatchObject([0, { length: server.tools.size }])
  const shown = await svc('show', 'desk', 'write')
  expect(shown.stdout).toContain('write (new)')
  expect(shown.stdout).toContain('description: "Writes\\\\u{202e} a text"')
  const [, digest = ''] = /digest (sha256:\w{64})/.exec(shown.stdout) ?? []
  const stale = await svc('accept', 'desk', 'write', '--digest', `sha256:${'0'.repeat(64)}`)
  expect([stale.code, stale.stderr]).toEqual([75, expect.stringContaining('is not what was shown')])
  expect((await svc('accept', 'desk', 'write', '--digest', digest, '--effect', 'read')).code).toBe(0)
  expect((await svc('show', 'desk', 'write')).stdout).toMatch(/accepted by .* as a read/)
  server.redefine('write', { description: 'Deletes a text' })
  await svc('discover', 'desk', '--environment', 'development')
  const changed = await svc('show', 'desk', 'write')
  expect(changed.stdout).toContain('write (changed)')
  expect(changed.stdout).toContain('description is:  Deletes a text')
  expect((await svc('withdraw', 'desk', 'write')).code).toBe(0)
  expect((await svc('list', 'desk')).stdout).toMatch(/^write +new/m)
  const again = await svc('withdraw', 'desk', 'write')
  expect([again.code, again.stderr]).toEqual([75, expect.stringContaining('is not accepted')])
  expect(calls()).toBe(0)
})

describe('servers of others', needs('mcppeers', 'mcpclient'), () => {
  const FASTMCP = fileURLToPath(new URL('../support/mcp-server.py', import.meta.url))
  const neighbours: Neighbour[] = []
  const at: Record<string, string> = {}
  const found: Record<string, McpToolsFound> = {}
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-mcp-'))
    const [one, other] = await freePorts(2)
    const everything = { ...programOf('mcppeers'), env: { PORT: String(one) } }
    const started = [
      { url: `http://127.0.0.1:${one}`, program: everything, args: ['everything', 'streamableHttp'], has_ready: false },
      { url: `http://127.0.0.1:${other}`, program: programOf('mcpclient'), args: [FASTMCP, String(other), notes()] },
    ]
    neighbours.push(...(await Promise.all(started.map((each) => startNeighbour({ dir, ...each })))))
    for (const [index, name] of ['everything', 'notes'].entries()) {
      const config = { url: `${neighbours[index]?.url}/mcp` }
      at[name] = await connect({ name, kind: 'mcp', auth: 'none', config })
      found[name] = (await service.call<McpToolsFound>('POST', at[name], {})).body
    }
  })
  afterAll(async () => {
    await Promise.all(neighbours.map((each) => each.stop()))
    await rm(dir, { recursive: true })
  })

  const TEXT = { text: 'a' }
  const notes = () => join(dir, 'notes')
  async function acceptOf(server: string, name: string, effect = 'write') {
    const tool = found[server]?.tools.find((each) => each.name === name)
    const body = { definition_digest: tool?.definition_digest, effect }
    expect((await service.call('POST', `${at[server]}/${name}/accept`, body)).status, name).toBe(200)
  }
  const called = (inputs: object, environment = 'development') =>
    start({ inputs: { connection: 'notes', ...inputs }, environment }, 'ops/mcp-tool')

  test('the reference server: its tools are found, but the one that is called as a task alone', () => {
    expect(found['everything']?.left_out).toEqual([
      { name: 'simulate-research-query', why: 'it is called as a task alone, which no step does' },
    ])
    expect(found['everything']?.tools.map(({ name }) => name)).toContain('get-structured-content')
  })

  test.each<[string, object, object]>([
    ['get-sum', { a: 1, b: 2 }, { text: 'The sum of 1 and 2 is 3.', other: [] }],
    ['get-structured-content', { location: 'Chicago' }, { structured: { humidity: 82 } }],
    ['get-tiny-image', {}, { other: [{ type: 'image', mimeType: 'image/png' }] }],
    ['get-resource-links', { count: 1 }, { other: [{ type: 'resource_link' }] }],
    ['get-resource-reference', {}, { other: [{ type: 'resource', resource: { mimeType: 'text/plain' } }] }],
    ['trigger-long-running-operation', { duration: 0.2, steps: 2 }, { text: expect.stringMatching(/completed/) }],
  ])('the reference server: %s', async (tool, given, said) => {
    await acceptOf('everything', tool)
    const run = await ended(service, await called({ connection: 'everything', tool, arguments: given }))
    expect(run).toMatchObject({ status: 'succeeded', outputs: { answer: { ...said, untrusted: true } } })
  })

  test('a FastMCP server that changes a tool after it was accepted is not called', async () => {
    await acceptOf('notes', 'note')
    expect(await ended(service, await called({ tool: 'note', arguments: TEXT }))).toMatchObject({
      status: 'failed',
      error: {
        code: 'plan_changed',
        details: { changes: [{ member: 'description', after: 'Keeps a note, and sends it elsewhere' }] },
      },
    })
    await expect(readFile(notes())).rejects.toThrow()
  })

  test('a FastMCP server that writes under `readOnlyHint` has a write, which a person approves in production', async () => {
    await acceptOf('notes', 'peek')
    const id = await called({ tool: 'peek', arguments: TEXT }, 'production')
    const { operation } = await approve(id)
    expect(operation).toMatchObject({ action_type: 'mcp.call', risk: 'medium' })
    expect(await ended(service, id)).toMatchObject({ status: 'succeeded', outputs: { answer: { text: '1' } } })
    expect(await readFile(notes(), 'utf8')).toBe('peek a\n')
  })

  test('a write that a person took for a read is caught by a look', async () => {
    await acceptOf('notes', 'peek', 'read')
    await acceptOf('notes', 'count', 'read')
    const looked = { tool: 'peek', arguments: TEXT, look: 'count', changes: false }
    expect(await ended(service, await called(looked, 'production'))).toMatchObject({
      ...{ status: 'failed', error: { step: 'changed', message: expect.stringContaining('it is no read') } },
    })
    const honest = await ended(service, await called({ ...looked, tool: 'count', arguments: {} }, 'production'))
    expect(honest).toMatchObject({ status: 'succeeded' })
  })
})
