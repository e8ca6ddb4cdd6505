import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Actor } from '#core/actor.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import { mustBeSound, mustLeaveAnOwner, mustReach } from '#services/auth/user-rules.ts'
import type { UserRow } from '#store/users.ts'

const WS = ['ws_a', 'ws_b', 'ws_c']
const roles = fc.subarray(['owner', 'admin', 'operator', 'viewer', 'service', 'auditor'], { minLength: 1 })
const workspaces = fc.oneof(fc.constant<string[]>(['*']), fc.subarray(WS, { minLength: 1 }))
const actor = fc.record({ roles, workspaces }).map(
  (given): Actor => ({
    ...ANONYMOUS,
    roles: given.roles,
    workspaces: given.workspaces.includes('*') ? '*' : given.workspaces,
  }),
)

const passes = (check: () => void) => {
  try {
    check()
    return true
  } catch {
    return false
  }
}

describe('reach', () => {
  it('never goes to an owner from anybody else, nor beyond the workspaces of the actor', () => {
    fc.assert(
      fc.property(actor, fc.record({ roles, workspaces }), (who, rights) => {
        if (!passes(() => mustReach(who, rights))) return
        if (rights.roles.includes('owner')) expect(who.roles).toContain('owner')
        if (who.workspaces !== '*') for (const id of rights.workspaces) expect(who.workspaces).toContain(id)
      }),
    )
  })

  it('an owner of everything reaches everybody', () => {
    const owner: Actor = { ...ANONYMOUS, roles: ['owner'], workspaces: '*' }
    fc.assert(fc.property(fc.record({ roles, workspaces }), (rights) => passes(() => mustReach(owner, rights))))
  })
})

it('only owners, admins and those who are auditors alone are at home everywhere', () => {
  expect(passes(() => mustBeSound({ roles: ['admin'], workspaces: ['*'] }))).toBe(true)
  expect(passes(() => mustBeSound({ roles: ['operator'], workspaces: ['*'] }))).toBe(false)
  expect(passes(() => mustBeSound({ roles: ['owner'], workspaces: ['*', 'ws_a'] }))).toBe(false)
  expect(passes(() => mustBeSound({ roles: ['auditor'], workspaces: ['*'] }))).toBe(true)
  expect(passes(() => mustBeSound({ roles: ['auditor', 'operator'], workspaces: ['*'] }))).toBe(false)
})

describe('the last owner', () => {
  const owner: UserRow = {
    id: 'usr_1',
    account_id: 'acc_1',
    email: 'a@example.test',
    display_name: null,
    roles: ['owner'],
    approval_roles: [],
    scopes: [],
    workspaces: ['*'],
    status: 'active',
    password_hash: 'x',
    invite_hash: null,
    invite_expires_at: null,
    token_version: 1,
    out_of_office_until: null,
    delegate_to: null,
    last_login_at: null,
    invited_by: null,
    answering_accounts: [],
    ended_sessions: [],
    changed_by: {},
    created_at: '',
    updated_at: '',
    position: '',
  }

  it.each([[{ roles: ['admin'] }], [{ status: 'disabled' as const }]])('stays against %j', (patch) => {
    expect(passes(() => mustLeaveAnOwner(owner, patch, 0))).toBe(false)
    expect(passes(() => mustLeaveAnOwner(owner, patch, 1))).toBe(true)
    expect(passes(() => mustLeaveAnOwner({ ...owner, status: 'disabled' }, patch, 0))).toBe(true)
  })

  it('may still change a name', () => {
    expect(passes(() => mustLeaveAnOwner(owner, { display_name: 'Ada' }, 0))).toBe(true)
  })
})
