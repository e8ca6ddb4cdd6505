import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveApi } from '#api/server.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIds } from '#platform/ids.ts'
import { testAuthApi } from '#test/support/auth-api.ts'
import { runCliInProcess } from '#test/support/cli-in-process.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { addUser, bearer } from '#test/support/users.ts'

const api = testAuthApi(testDatabase())
let server: Awaited<ReturnType<typeof serveApi>>
let tokens: { owner: string; admin: string; viewer: string }

beforeAll(async () => {
  server = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
  const tokenOf = async (roles: string[], workspaces = [DEFAULT_WORKSPACE_ID]) =>
    (await bearer(api.deps, await addUser(api.deps, { roles, workspaces }))).authorization.slice('Bearer '.length)
  tokens = {
    owner: await tokenOf(['owner'], ['*']),
    admin: await tokenOf(['admin']),
    viewer: await tokenOf(['viewer']),
  }
})
afterAll(() => server.close())

const svc = (args: string[], who: keyof typeof tokens = 'owner') =>
  runCliInProcess(args, { url: server.url, env: { SVC_TOKEN: tokens[who] } })
const userOf = async (email: string) => await api.deps.identity.users.findByEmail(email)

test('makes a workspace, shows it by name with its id, and changes only what is said', async () => {
  const made = await svc([
    'workspaces',
    'create',
    'payments',
    '--name',
    'Payments',
    '--daily-usd',
    '25',
    '--realtime',
    '4',
  ])
  expect(made.code, made.stderr).toBe(0)
  expect(made.stdout).toMatch(
    /^payments \(ws_\w{26}\)\n {2}name +Payments\n.*\n {2}environment +development\n {2}limits +\$25 a day, 4 realtime\n {2}It may use .* workspaces: \[payments\]\n$/,
  )
  const changed = await svc([
    'workspaces',
    'set',
    'Payments',
    '--realtime',
    'none',
    '--environment',
    'staging',
    '--json',
  ])
  expect(changed.stderr).toBe('')
  expect(JSON.parse(changed.stdout)).toMatchObject({ limits: { daily_usd: 25 }, default_environment: 'staging' })
  expect((await svc(['workspaces', 'set', 'payments'])).code).toBe(64)
  expect((await svc(['workspaces', 'set', 'paymens', '--protected'])).stderr).toContain('did you mean payments?')
  expect((await svc(['workspaces', 'create', 'payments'])).code).toBe(75)
  expect((await svc(['workspaces', 'create', 'more'], 'admin')).code).toBe(77)
  const kept = await svc(['workspaces', 'set', 'payments', '--protected'])
  expect(kept.stdout).toContain('active, protected')
  expect((await svc(['workspaces', 'set', 'payments', '--archive'])).stderr).toContain('workspace_protected')
  const archived = await svc(['workspaces', 'set', 'payments', '--no-protected', '--archive', '--json'])
  expect(JSON.parse(archived.stdout)).toMatchObject({ status: 'archived', protected: false })
  await svc(['workspaces', 'set', 'payments', '--restore'])
  expect((await svc(['workspaces'])).stdout).toMatch(/payments +Payments +active/)
})

test('an invitation lands where it says; one of several workspaces is never assumed', async () => {
  const unsaid = await svc(['users', 'invite', 'bob@example.test', '--role', 'approver'])
  expect(unsaid).toMatchObject({ code: 64, stderr: expect.stringContaining('--workspace') })
  expect(unsaid.stderr).toContain('payments')
  const invited = await svc([
    'users',
    'invite',
    'bob@example.test',
    '--role',
    'approver',
    '--workspace',
    'default',
    'payments',
    '--name',
    'Bob',
  ])
  expect(invited.code, invited.stderr).toBe(0)
  const bob = await userOf('bob@example.test')
  expect(bob?.workspaces[0]).toBe(DEFAULT_WORKSPACE_ID)
  expect(invited.stdout).toContain(`bob@example.test  Bob (${bob?.id})`)
  expect(invited.stdout).toMatch(new RegExp(`workspaces +default \\(${DEFAULT_WORKSPACE_ID}\\), payments \\(ws_`))
  const [, id = '', invite_token] = /^http.*\/console\/join#(usr_\w+)\.(\S+)$/m.exec(invited.stdout) ?? []
  expect(id).toBe(bob?.id)
  const password = 'a long enough password'
  expect((await api.post(`/admin/users/${id}/password`, { password, invite_token }, {})).status).toBe(204)
  expect(
    (await svc(['users', 'invite', 'bob@example.test', '--role', 'approver', '--workspace', 'default'])).code,
  ).toBe(75)
  // an admin of a single workspace needs to say nothing
  expect((await svc(['users', 'invite', 'eve@example.test', '--role', 'viewer'], 'admin')).code).toBe(0)
  expect((await userOf('eve@example.test'))?.workspaces).toEqual([DEFAULT_WORKSPACE_ID])
  const bot = await svc(['users', 'invite', 'bot@example.test', '--role', 'service', '--workspace', 'payments'])
  expect(bot.stdout).toContain('--enable')
  expect(bot.stdout).not.toContain('/console/join')
})

test('changes roles and workspaces of a person by mail address, name or id', async () => {
  const set = async (named: string, ...args: string[]) => {
    const { code, stderr } = await svc(['users', 'set', named, ...args])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    return await userOf('bob@example.test')
  }
  const bob = await set('bob@example.test', '--role', 'viewer', '--workspace', 'payments')
  expect([bob?.roles, bob?.workspaces.length]).toEqual([['viewer'], 1])
  const wider = await set('Bob', '--add-role', 'approver', '--add-workspace', 'default', '--add-approval-role', 'sre')
  expect([wider?.roles, wider?.workspaces[1], wider?.approval_roles]).toEqual([
    ['viewer', 'approver'],
    DEFAULT_WORKSPACE_ID,
    ['sre'],
  ])
  expect((await set(bob?.id ?? '', '--home', 'default'))?.workspaces[0]).toBe(DEFAULT_WORKSPACE_ID)
  const narrower = await set('bob@example.test', '--remove-role', 'viewer', '--remove-workspace', 'payments')
  expect([narrower?.roles, narrower?.workspaces]).toEqual([['approver'], [DEFAULT_WORKSPACE_ID]])
  expect((await set('bob@example.test', '--disable'))?.status).toBe('disabled')
  expect((await set('bob@example.test', '--enable'))?.status).toBe('active')
  const listed = await svc(['users'])
  expect(listed.stdout).toMatch(/bob@example\.test +Bob +approver +sre +default +active/)
})

test('refuses what would leave nobody anywhere, what is unknown, and who may not', async () => {
  const refusals: [string[], number, string][] = [
    [['bob@example.test'], 64, 'say what changes'],
    [['bob@example.test', '--remove-role', 'approver'], 64, 'at least one role'],
    [['bob@example.test', '--remove-workspace', 'default'], 64, 'at least one workspace'],
    [['bob@example.test', '--add-workspace', 'paymnts'], 66, 'did you mean payments?'],
    [['bobb@example.test', '--disable'], 66, 'did you mean bob@example.test?'],
  ]
  for (const [args, code, text] of refusals) {
    const answer = await svc(['users', 'set', ...args])
    expect([answer.code, answer.stderr]).toEqual([code, expect.stringContaining(text)])
  }
  expect((await svc(['users', 'set', 'bob@example.test', '--disable'], 'viewer')).code).toBe(77)
  expect((await svc(['users', 'invite', 'x@example.test', '--role', 'viewer'], 'viewer')).code).toBe(77)
  expect((await svc(['users', 'set', 'bob@example.test', '--add-role', 'owner'], 'admin')).code).toBe(77)
})

test('a name that several have names nobody, and an address is never hidden by a name', async () => {
  await addUser(api.deps, { email: 'one@example.test', display_name: 'Sam' })
  await addUser(api.deps, { email: 'two@example.test', display_name: 'Sam' })
  await addUser(api.deps, { email: 'three@example.test', display_name: 'one@example.test' })
  expect((await svc(['users', 'set', 'sam', '--disable'])).stderr).toContain('2 users are named "sam"')
  expect((await svc(['users', 'set', 'one@example.test', '--disable'])).stdout).toContain('one@example.test  Sam')
})
