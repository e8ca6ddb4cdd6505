import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { openTerminal, runCli } from '#test/support/cli.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const EMAIL = 'owner@example.test'
const PASSWORD = 'correct horse battery'
const TEMPLATE = 'sre/service-recovery'

let service: TestService
let demo: DemoService
let env: Record<string, string>

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { OBS_JWT_SECRET: 'k'.repeat(48) },
  })
  demo = await startDemoService()
  env = {
    SVC_URL: service.url,
    SVC_HOME: service.home,
    HOME: service.home,
    XDG_CONFIG_HOME: join(service.home, 'config'),
    OBS_JWT_SECRET: 'k'.repeat(48),
  }
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

const svc = (args: string[], input?: string, extra: Record<string, string> = {}) =>
  runCli(args, { env: { ...env, ...extra }, ...(input !== undefined && { input }) })
const bootstrap = (email: string, input: string, extra: Record<string, string> = {}) =>
  svc(['admin', 'bootstrap', '--email', email, '--name', 'Ada', '--password-stdin'], input, {
    DATABASE_URL: service.database.url,
    ...extra,
  })

describe('admin bootstrap', () => {
  test('says what to do when no database runs, and refuses a short password and a wrong address', async () => {
    const none = await bootstrap(EMAIL, PASSWORD, { DATABASE_URL: '' })
    expect(none).toMatchObject({ code: 69, stderr: expect.stringContaining('npm start') })
    const away = await bootstrap(EMAIL, PASSWORD, { DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/svc' })
    expect(away.code).toBe(69)
    expect(away.stderr).not.toContain('secret-word')
    expect((await bootstrap(EMAIL, 'short')).code).toBe(64)
    expect((await bootstrap('nobody', PASSWORD)).code).toBe(64)
    expect((await svc(['admin', 'bootstrap', '--email', EMAIL])).code).toBe(64)
  })

  test('makes the first owner once', async () => {
    const first = await bootstrap(EMAIL, `${PASSWORD}\n`)
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(EMAIL) })
    expect(first.stdout).not.toContain(PASSWORD)
    expect((await bootstrap('second@example.test', PASSWORD)).code).toBe(75)
  })
})

describe('login', () => {
  test('without a login every command says how to get one', async () => {
    const answers = await Promise.all([svc(['whoami']), svc(['run', TEMPLATE, '-i', `url=${demo.url}`])])
    for (const answer of answers) {
      expect(answer).toMatchObject({ code: 77, stderr: expect.stringContaining('svc login') })
    }
  })

  test('a wrong password is 77 and keeps nothing', async () => {
    const { code, stdout, stderr } = await svc(['login', '--email', EMAIL, '--password-stdin'], 'not the password')
    expect(code).toBe(77)
    expect(`${stdout}${stderr}`).not.toContain('not the password')
    await expect(stat(join(service.home, 'config/svc/credentials.json'))).rejects.toThrow('ENOENT')
  })

  test('keeps the token where only its owner reads it, prints it nowhere, and acts as that person', async () => {
    const login = await svc(['login', '--email', EMAIL, '--password-stdin'], `${PASSWORD}\n`)
    expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining(`as ${EMAIL}`) })
    const file = join(service.home, 'config/svc/credentials.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(service.home, 'config/svc'))).mode & 0o777).toBe(0o700)
    const kept = JSON.parse(await readFile(file, 'utf8'))[service.url]
    expect(kept.email).toBe(EMAIL)

    const me = JSON.parse((await svc(['whoami', '--json'])).stdout)
    expect(me).toMatchObject({ email: EMAIL, display_name: 'Ada', roles: ['owner'] })
    const shown = await svc(['config'], undefined, { SVC_TOKEN: kept.access_token })
    for (const { stdout, stderr } of [login, shown]) expect(`${stdout}${stderr}`).not.toContain(kept.access_token)

    await fetch(`${demo.url}/fault`, { method: 'POST' })
    const started = await svc(['run', TEMPLATE, '-i', `url=${demo.url}`, '--detach'])
    expect(started.code).toBe(0)
    const id = started.stdout.trim()
    const approved = await svc(['remote', 'approve', id, '--watch', '--json'])
    expect(approved.code).toBe(0)
    const decision = approved.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .find((line) => line.type === 'decision')
    expect(decision.data).toMatchObject({ status: 'approved', resolved_by: me.id, channel: 'cli' })
  })

  test('who may not approve is refused (2), by role and in the name of somebody else', async () => {
    const { access_token } = JSON.parse(await readFile(join(service.home, 'config/svc/credentials.json'), 'utf8'))[
      service.url
    ]
    const headers = { authorization: `Bearer ${access_token}` }
    const viewer = { email: 'viewer@example.test', roles: ['viewer'], workspaces: [DEFAULT_WORKSPACE_ID] }
    const { body: invited } = await service.call<{ id: string }>('POST', '/admin/users', viewer, headers)
    await service.call('POST', `/admin/users/${invited.id}/password`, { password: PASSWORD }, headers)
    const other = { XDG_CONFIG_HOME: join(service.home, 'viewer') }
    expect((await svc(['login', '--email', viewer.email, '--password-stdin'], PASSWORD, other)).code).toBe(0)

    await fetch(`${demo.url}/fault`, { method: 'POST' })
    const id = (await svc(['run', TEMPLATE, '-i', `url=${demo.url}`, '--detach'])).stdout.trim()
    const run = await svc(['remote', 'approve', id, '--watch'], undefined, other)
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('forbidden') })
    expect(run.stdout).toContain('To be approved')
    const asserted = await svc(['remote', 'approve', id, '--as', 'usr_somebody'])
    expect(asserted).toMatchObject({ code: 2, stderr: expect.stringContaining('approver_not_allowed') })
    expect((await svc(['remote', 'reject', id])).code).toBe(0)
  })

  test('SVC_TOKEN goes before the kept token', async () => {
    expect((await svc(['whoami'], undefined, { SVC_TOKEN: 'a.b.c' })).code).toBe(77)
    expect((await svc(['whoami'])).code).toBe(0)
  })

  test('at a terminal it asks for address and password and shows no letter of the password', async () => {
    const screen = openTerminal(['login'], { env })
    await screen.shows('Email')
    screen.type(`${EMAIL}\r`)
    await screen.shows('Password')
    screen.type(`${PASSWORD}\r`)
    await screen.shows('logged in')
    expect(await screen.ended()).toBe(0)
    expect(screen.output()).not.toContain(PASSWORD)
  })

  test('logout ends the session and forgets the token', async () => {
    const file = join(service.home, 'config/svc/credentials.json')
    const kept = JSON.parse(await readFile(file, 'utf8'))[service.url]
    expect(await svc(['logout'])).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({})
    expect((await svc(['whoami'])).code).toBe(77)
    const headers = { authorization: `Bearer ${kept.access_token}` }
    // an API may know a user by heart for a moment
    const status = async () => (await service.call('GET', '/auth/me', undefined, headers)).status
    await expect.poll(status, PATIENCE).toBe(401)
    expect(await svc(['logout'])).toMatchObject({ code: 0, stdout: expect.stringContaining('there was no login') })
  })
})
