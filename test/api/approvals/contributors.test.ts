import { beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { ids } from '#test/support/run-drafts.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

/** Everything goes through the API, and decisions through their one writer; only the workflow between the two is left out. */
let owner: Record<string, string>

const RULES = { approvals: 1, approval_roles: [], prevent_self: true }
const ACCOUNT = { roles: ['service', 'operator'], scopes: ['approvals:on_behalf'] }

const database = testDatabase()
const api = testSealedApi(database)
beforeAll(async () => {
  owner = await as(await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
})

const as = (user: UserRow): Promise<Record<string, string>> => bearer(api.deps, user)
const admin = () => addUser(api.deps, { roles: ['admin'], workspaces: ['*'] })
const approver = (patch: UserPatch = {}) => addUser(api.deps, { roles: ['approver'], ...patch })

async function invite(by: Record<string, string>, body: object): Promise<{ id: string; invite_token: string }> {
  const email = `invited-${Math.random().toString(36).slice(2)}@example.test`
  const answer = await api.post('/admin/users', { email, workspaces: ['ws_00000000000000000000000000'], ...body }, by)
  expect(answer.status).toBe(201)
  return (await answer.json()) as { id: string; invite_token: string }
}

/** An account of somebody, with a key that they made. */
async function accountOf(
  by: Record<string, string>,
): Promise<{ id: string; key: string; headers: Record<string, string> }> {
  const { id } = await invite(by, ACCOUNT)
  expect((await change('PATCH', `/admin/users/${id}`, { status: 'active' }, by)).status).toBe(200)
  return { id, ...(await keyOf(by, id)) }
}

async function keyOf(by: Record<string, string>, account: string) {
  const made = await api.post(
    '/admin/api-keys',
    { account, name: 'a key', scopes: ['approvals:on_behalf', 'runs:start'] },
    by,
  )
  expect(made.status).toBe(201)
  const { id: key, token } = (await made.json()) as { id: string; token: string }
  return { key, headers: { authorization: `Bearer ${token}` } }
}

const change = async (method: string, path: string, body: unknown, headers: Record<string, string>) =>
  await api.app.request(path, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

async function name(person: UserRow, account: string): Promise<void> {
  expect((await change('PUT', `/auth/me/answering-accounts/${account}`, {}, await as(person))).status).toBe(200)
}

/** A run as somebody started it by hand, at its gate. */
async function gateOf(by: UserRow | { provenance: RunDraft['provenance'] }, required: object = {}): Promise<string> {
  const provenance =
    'provenance' in by
      ? by.provenance
      : {
          trigger: { type: 'direct' },
          actor: { type: 'user', id: by.id, display: 'x' },
          human_root: { user_id: by.id, via: ['api'] },
        }
  const id = await admitTestRun(api, { provenance })
  await parkTestRun(api, id, { required: { ...RULES, ...required } })
  return id
}

async function decide(run: string, headers: Record<string, string>, approver?: string) {
  const answer = await api.post(`/runs/${run}/resume`, { decision: 'approve', ...(approver && { approver }) }, headers)
  const { code, detail, resolved } = (await answer.json()) as { code?: string; detail?: string; resolved?: boolean }
  return answer.status === 200 ? { resolved } : { code, detail }
}

describe('an account is the person behind it', () => {
  it('and answers no gate of a run that this person asked for', async () => {
    const [alice, bob] = [await admin(), await approver()]
    const account = await accountOf(await as(alice))
    await name(bob, account.id)
    const run = await gateOf(alice)
    expect(await decide(run, account.headers, bob.id)).toMatchObject({ code: 'self_approval' })
    // where people may approve what they asked for, their accounts may not in the name of others
    const lax = await gateOf(alice, { prevent_self: false })
    expect(await decide(lax, account.headers, bob.id)).toMatchObject({ code: 'self_approval' })
  })

  it('also where they only made the key that answers, or the one that started the run', async () => {
    const [alice, carol, bob] = [await admin(), await admin(), await approver()]
    const account = await accountOf(await as(carol))
    const { headers } = await keyOf(await as(alice), account.id)
    await name(bob, account.id)
    expect(await decide(await gateOf(alice), headers, bob.id)).toMatchObject({ code: 'self_approval' })
    expect(await decide(await gateOf(alice), account.headers, bob.id)).toEqual({ resolved: true })
  })

  it('is one vote with all their accounts and themselves', async () => {
    const [alice, bob, carol] = [await admin(), await approver(), await approver()]
    const accounts = [await accountOf(await as(alice)), await accountOf(await as(alice))] as const
    await name(bob, accounts[0].id)
    await name(carol, accounts[1].id)
    const run = await gateOf(await approver(), { approvals: 2 })
    expect(await decide(run, accounts[0].headers, bob.id)).toEqual({ resolved: false })
    expect(await decide(run, accounts[1].headers, carol.id)).toMatchObject({ code: 'conflict' })
    expect(await decide(run, await as(alice))).toMatchObject({ code: 'conflict' })
    expect(await decide(run, await as(carol))).toEqual({ resolved: true })
  })

  it('has no vote of its own, no matter what roles stand beside service and with whatever it signs in', async () => {
    const alice = await admin()
    const run = await gateOf(await approver(), { approvals: 2 })
    for (const roles of [
      ['service', 'approver'],
      ['service', 'operator'],
    ]) {
      const bot = await addUser(api.deps, { roles, scopes: ['approvals:on_behalf'] })
      const refused = await decide(run, await as(bot))
      expect(refused).toMatchObject({ code: 'approver_not_allowed' })
      const { id: key } = await invite(await as(alice), { roles, scopes: [] })
      await change('PATCH', `/admin/users/${key}`, { status: 'active' }, await as(alice))
      const own = await as((await api.deps.identity.users.find(key)) as UserRow)
      const own_name = await decide(run, own)
      expect(own_name).toMatchObject({ code: 'approver_not_allowed' })
      expect(own_name.detail).toContain('answers no gate in its own name')
    }
    expect(await decide(run, await as(alice))).toEqual({ resolved: false })
  })

  it('answers for nobody who has not named it, and no longer once that is taken back', async () => {
    const [bob, carol] = [await approver(), await approver()]
    const account = await accountOf(owner)
    const run = await gateOf(await approver(), { approvals: 2 })
    const refused = await decide(run, account.headers, bob.id)
    expect(refused).toMatchObject({ code: 'approver_not_allowed' })
    expect(refused.detail).toContain('has not named the service account')
    expect(refused.detail).toMatch(/on the page "You" of the console or with svc answering-accounts add usr_\w+$/)
    await name(bob, account.id)
    expect(await decide(run, account.headers, bob.id)).toEqual({ resolved: false })
    await change('DELETE', `/auth/me/answering-accounts/${account.id}`, {}, await as(bob))
    expect(await decide(run, await as(carol))).toEqual({ resolved: false })
  })
})

describe('under prevent_self', () => {
  it.each([
    ['invites', 'invited'],
    ['sets the password of', 'password'],
    ['changes the roles of', 'rights'],
  ])('who asked %s an approver meanwhile: that approval does not count', async (_, what) => {
    const alice = await admin()
    const by = await as(alice)
    const bob = await approver()
    const run = await gateOf(alice)
    const before = await gateOf(await approver())
    let voter = bob
    if (what === 'invited') {
      const { id, invite_token } = await invite(by, { roles: ['approver'] })
      const set = await change(
        'POST',
        `/admin/users/${id}/password`,
        { password: 'a long enough password', invite_token },
        {},
      )
      expect(set.status).toBe(204)
      voter = (await api.deps.identity.users.find(id)) as UserRow
    } else if (what === 'password') {
      const set = await change('POST', `/admin/users/${bob.id}/password`, { password: 'a long enough password' }, by)
      expect(set.status).toBe(204)
    } else {
      expect((await change('PATCH', `/admin/users/${bob.id}`, { approval_roles: ['dba'] }, by)).status).toBe(200)
    }
    const now = await as((await api.deps.identity.users.find(voter.id)) as UserRow)
    const refused = await decide(run, now)
    expect(refused).toMatchObject({ code: 'approver_not_allowed' })
    expect(refused.detail).toContain('since it was requested')
    // where nobody who shaped the run did it, it counts
    expect(await decide(before, now)).toEqual({ resolved: true })
    // and so it does where the run was asked for later
    expect(await decide(await gateOf(alice), now)).toEqual({ resolved: true })
  })

  it('a run of a pipeline was asked for with its pipeline: changes while it waited for its step do not count either', async () => {
    const [alice, bob] = [await admin(), await approver()]
    const linked = await pipelineWithRun()
    await change('POST', `/admin/users/${bob.id}/password`, { password: 'a long enough password' }, await as(alice))
    const run = await gateOf(alice)
    const alone = await gateOf(alice)
    await linked(run)
    const now = await as((await api.deps.identity.users.find(bob.id)) as UserRow)
    expect(await decide(run, now)).toMatchObject({ code: 'approver_not_allowed' })
    expect(await decide(alone, now)).toEqual({ resolved: true })
  })

  it('the one who wrote what goes into a run approves it no more than who asked for it', async () => {
    const [asker, author, other] = [await approver(), await approver(), await approver()]
    const contributors = [
      { id: asker.id, did: 'started' },
      { id: author.id, did: 'wrote_config_preset', what: 'nightly' },
    ]
    const provenance = {
      trigger: { type: 'direct' },
      actor: { type: 'user', id: asker.id, display: 'x' },
      contributors,
    }
    const run = await gateOf({ provenance })
    const refused = await decide(run, await as(author))
    expect(refused).toMatchObject({ code: 'self_approval' })
    expect(refused.detail).toContain('you wrote the config preset nightly')
    expect(await decide(run, await as(other))).toEqual({ resolved: true })
    const lax = await gateOf({ provenance }, { prevent_self: false })
    expect(await decide(lax, await as(author))).toEqual({ resolved: true })
  })
})

/** A pipeline that is on record now; the answer makes a run one of its step. */
async function pipelineWithRun(): Promise<(run: string) => Promise<unknown>> {
  const { db } = database
  const id = ids.next('pipeline')
  const digest = `sha256:${'0'.repeat(64)}`
  await db`
    insert into pipelines (id, workspace_id, name, bundle_path, bundle_digest, definition, definition_digest, environment,
      environment_class, profile, status, inputs, inputs_hash, provenance)
    values (${id}, ${DEFAULT_WORKSPACE_ID}, 'nightly', 'nightly', ${digest}, '{}', ${digest}, 'development', 'development', 'default',
      'queued', '{}', ${digest}, '{}')`
  await db`insert into pipeline_steps (pipeline_id, step_id, ordinal, state) values (${id}, 'one', 1, 'pending')`
  return (run) => db`
    insert into pipeline_children (run_id, pipeline_id, step_id, index, role, inputs, status)
    values (${run}, ${id}, 'one', 0, 'run', '{}', 'running')`
}
