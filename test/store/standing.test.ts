import { beforeAll, describe, expect, test } from 'vitest'
import type { GateCommand } from '#core/contract.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import { ROLE_NAMES } from '#core/user/schema.ts'
import { may } from '#services/auth/may.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createRunStore } from '#store/runs/runs.ts'
import type { UserPatch } from '#store/users.ts'
import { testAuthApi } from '#test/support/auth-api.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { addUser } from '#test/support/users.ts'

const OTHER = 'ws_0000000000000000000000000b'
const HASH = `sha256:${'b'.repeat(64)}`
const NEXT = `sha256:${'c'.repeat(64)}`

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
const api = testAuthApi(database)
beforeAll(() => addWorkspace(database, OTHER, 'other'))

const person = async (rights: UserPatch = { roles: ['operator'] }) => (await addUser(api.deps, rights)).id
const change = (id: string, patch: UserPatch) =>
  api.deps.identity.users.change(id, () => ({ patch, audit: { ...runDraft().audit, id: ids.next('audit') } }))

async function takenBy(provenance: JsonObject): Promise<string> {
  const draft = runDraft({ provenance })
  await runs.admit([draft])
  await runs.take(draft.id)
  return draft.id
}

const STEP = { ordinal: 0, attempt: 1, reserve_micro_usd: 0 }
const open = (run_id: string, step_id = 'one', plan_hash = HASH, ask_standing = true) =>
  runs.record({ run_id, fence: 1, open: { step_id, plan_hash, ...STEP, ask_standing } })
const by = (id: string, type = 'user') => ({ actor: { type, id }, human_root: { user_id: id, via: ['api'] } })

describe('what takes standing away', () => {
  const TAKEN: [string, UserPatch, string][] = [
    ['disabled', { status: 'disabled' }, 'not_active'],
    ['moved to another workspace', { workspaces: [OTHER] }, 'not_in_workspace'],
    ['left with a role that starts nothing', { roles: ['approver'] }, 'role_taken'],
  ]
  for (const [what, patch, why] of TAKEN) {
    test(`nothing begins for somebody who was ${what}, and again once that is undone`, async () => {
      const who = await person()
      const run = await takenBy(by(who))
      expect(await open(run)).toMatchObject({ status: 'running' })
      await change(who, patch)
      expect(await open(run, 'two')).toEqual({ refused: 'standing_lost', who, why })
      await change(who, { status: 'active', workspaces: [DEFAULT_WORKSPACE_ID], roles: ['operator'] })
      expect(await open(run, 'two')).toMatchObject({ status: 'running' })
    })
  }

  test('the person behind a program, a schedule or a chain of them counts as well', async () => {
    const [root, bot] = [await person(), await person({ roles: ['service'] })]
    const human_root = { user_id: root, via: [bot, 'api'] }
    const chains: JsonObject[] = [
      { actor: { type: 'service', id: bot }, human_root },
      { actor: { type: 'schedule', id: 'sch_nightly' }, human_root: { user_id: root, via: ['sch_nightly'] } },
      { actor: { type: 'system', id: 'skill:x' }, human_root: { ...human_root, via: [bot, 'skill:x', 'bus'] } },
    ]
    const started = await Promise.all(chains.map(takenBy))
    for (const run of started) expect(await open(run)).toMatchObject({ status: 'running' })
    await change(root, { status: 'disabled' })
    for (const run of started) expect(await open(run, 'two')).toMatchObject({ refused: 'standing_lost', who: root })
    await change(root, { status: 'active' })
    await change(bot, { status: 'disabled' })
    const [first, second, third] = started as [string, string, string]
    expect(await open(first, 'two')).toMatchObject({ refused: 'standing_lost', who: bot })
    expect(await open(second, 'two')).toMatchObject({ status: 'running' })
    expect(await open(third, 'two')).toMatchObject({ refused: 'standing_lost', who: bot })
  })

  test('what a key asked for stands with the key: while it is good, and where it is bound', async () => {
    const [bot, key] = [await person({ roles: ['service'] }), ids.next('api_key')]
    const run = await takenBy({ actor: { type: 'service', id: bot }, human_root: { via: [bot, key, 'api'] } })
    await database.db`
      insert into api_keys (id, account_id, user_id, name, prefix, hash, scopes, created_by, expires_at)
      values (${key}, 'acc_local', ${bot}, 'k', 'svc_abcdefgh', ${'a'.repeat(64)}, '{runs:start}', 'usr_local', now() + interval '1 day')`
    expect(await open(run)).toMatchObject({ status: 'running' })
    const { db } = database
    const ends = [
      { why: 'not_in_workspace', patch: db`workspace_id = ${OTHER}`, back: db`workspace_id = ${DEFAULT_WORKSPACE_ID}` },
      {
        why: 'key_expired',
        patch: db`created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days'`,
        back: db`expires_at = expires_at + interval '2 days'`,
      },
      {
        why: 'key_revoked',
        patch: db`revoked_at = now(), revoked_by = 'usr_local'`,
        back: db`revoked_at = null, revoked_by = null`,
      },
    ]
    for (const { why, patch, back } of ends) {
      await db`update api_keys set ${patch} where id = ${key}`
      expect(await open(run, 'two')).toEqual({ refused: 'standing_lost', who: key, why })
      await db`update api_keys set ${back} where id = ${key}`
    }
    expect(await open(run, 'two')).toMatchObject({ status: 'running' })
  })

  test('somebody whom nobody knows has none; a system without a person behind it is asked for nothing', async () => {
    expect(await open(await takenBy(by('usr_local')))).toMatchObject({ refused: 'standing_lost', why: 'unknown' })
    const system = { actor: { type: 'system', id: 'system' }, human_root: { via: ['system'] } }
    expect(await open(await takenBy(system))).toMatchObject({ status: 'running' })
  })

  test('where nobody’s identity is checked, nobody’s standing is', async () => {
    const run = await takenBy(by('usr_local'))
    expect(await open(run, 'one', HASH, false)).toMatchObject({ status: 'running' })
  })

  test('the roles that keep it are those that may start a run', async () => {
    for (const role of ROLE_NAMES) {
      const who = await person({ roles: [role], workspaces: [DEFAULT_WORKSPACE_ID] })
      const opened = await open(await takenBy(by(who)))
      expect([role, !('refused' in opened)]).toEqual([role, may({ roles: [role], scopes: [] }, 'operator')])
    }
  })
})

describe('an owner’s answer in the place of lost standing', () => {
  /** As `recordDecision` leaves it. */
  async function overrideBy(
    run_id: string,
    owner: string,
    vouches_for: string[],
    vote?: Omit<GateCommand, 'gate_id'>,
  ): Promise<void> {
    const gate = ids.next('gate')
    const opening = {
      id: gate,
      step_id: 'one',
      ordinal: 0,
      attempt: 0,
      kind: 'standing_lost' as const,
      plan_hash: HASH,
    }
    const required = { approvals: 1, approval_roles: [['owner']], prevent_self: false, vouches_for }
    const recorded = await runs.record({
      run_id,
      fence: 1,
      gate: { ...opening, required, view: {}, expires_at: '2099-01-01T00:00:00.000Z' },
    })
    expect(recorded).toMatchObject({ status: 'awaiting_approval' })
    await createGateDecisions(database.db).resolve({
      ...{ run_id, gate_id: gate, resolution: 'approved', run: { status: 'running' }, events: [], audit: [] },
      ...(vote !== undefined && { vote: { ...vote, gate_id: gate } }),
      resolved: { by: owner, channel: 'api', cause: null },
    })
    await database.db`update runs set fence = 1 where id = ${run_id}`
  }

  async function abandoned(): Promise<{ run: string; who: string; owner: string }> {
    const [who, owner] = [await person(), await person({ roles: ['owner'] })]
    const run = await takenBy(by(who))
    await change(who, { status: 'disabled' })
    return { run, who, owner }
  }

  test('covers the step and the plan that it was given for', async () => {
    const { run, who, owner } = await abandoned()
    await overrideBy(run, owner, [who])
    expect(await open(run, 'one', NEXT)).toMatchObject({ refused: 'standing_lost' })
    expect(await open(run)).toMatchObject({ status: 'running' })
  })

  test('carries its step, and those that follow, for as long as its giver stays an owner who may enter', async () => {
    const { run, who, owner } = await abandoned()
    await overrideBy(run, owner, [who])
    expect(await open(run, 'two', NEXT)).toMatchObject({ status: 'running' })
    for (const patch of [{ status: 'disabled' }, { roles: ['admin'] }, { workspaces: [OTHER] }] as UserPatch[]) {
      await change(owner, patch)
      expect(await open(run, 'three', NEXT), JSON.stringify(patch)).toMatchObject({ refused: 'standing_lost' })
      expect(await open(run), JSON.stringify(patch)).toMatchObject({ refused: 'standing_lost' })
      await change(owner, { status: 'active', roles: ['owner'], workspaces: [DEFAULT_WORKSPACE_ID] })
    }
    expect(await open(run, 'three', NEXT)).toMatchObject({ status: 'running' })
  })

  test('is about those whom its gate was about, and nobody who loses their standing after them', async () => {
    const [root, bot, owner] = [
      await person(),
      await person({ roles: ['service'] }),
      await person({ roles: ['owner'] }),
    ]
    const run = await takenBy({ actor: { type: 'service', id: bot }, human_root: { user_id: root, via: [bot, 'api'] } })
    await change(root, { status: 'disabled' })
    await overrideBy(run, owner, [root])
    await change(bot, { status: 'disabled' })
    for (const step of ['one', 'two'])
      expect(await open(run, step)).toMatchObject({ refused: 'standing_lost', who: bot })
    await overrideBy(run, owner, [bot])
    for (const step of ['one', 'two']) expect(await open(run, step)).toMatchObject({ status: 'running' })
  })

  test('may be given by the delegate of an owner, and counts while both stand', async () => {
    const { run, who, owner } = await abandoned()
    const delegate = await person({ roles: ['approver'] })
    await change(owner, { delegate_to: delegate })
    await overrideBy(run, delegate, [who], {
      ...{ kind: 'approve', decision_id: ids.next('decision'), by: delegate, display: 'Delegate', type: 'user' },
      ...{ roles: ['approver'], delegations: [{ of: owner, roles: ['owner'] }], channel: 'api', asserted: false },
      ...{ at: '2026-01-01T00:00:00.000Z', auth: 'jwt', plan_hash: HASH },
    })
    expect(await open(run)).toMatchObject({ status: 'running' })
    const lost: [string, UserPatch, UserPatch][] = [
      [owner, { status: 'disabled' }, { status: 'active' }],
      [owner, { delegate_to: null }, { delegate_to: delegate }],
      [delegate, { status: 'disabled' }, { status: 'active' }],
      [delegate, { workspaces: [OTHER] }, { workspaces: [DEFAULT_WORKSPACE_ID] }],
    ]
    for (const [id, patch, back] of lost) {
      await change(id, patch)
      expect(await open(run), JSON.stringify(patch)).toMatchObject({ refused: 'standing_lost', who })
      await change(id, back)
    }
    expect(await open(run)).toMatchObject({ status: 'running' })
  })
})
