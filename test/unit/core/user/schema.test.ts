import { describe, expect, it } from 'vitest'
import { heldRoles, ROLE_NAMES, UserEdit, UserInvite } from '#core/user/schema.ts'

describe('a free approval role', () => {
  it.each(ROLE_NAMES)('that is named %s, like a role of the system, is never that role', (name) => {
    expect(heldRoles({ roles: ['approver'], approval_roles: ['dba', name] })).toEqual(['approver', 'dba'])
    const invite = { email: 'ada@example.test', roles: ['approver'], approval_roles: [name] }
    expect(UserInvite.safeParse(invite).error?.issues[0]?.message).toContain('role of the system')
    expect(UserEdit.safeParse({ approval_roles: [name] }).success).toBe(false)
  })

  it('of another name counts beside the roles', () => {
    expect(heldRoles({ roles: ['operator'], approval_roles: ['dba', 'Owner'] })).toEqual(['operator', 'dba', 'Owner'])
    expect(UserEdit.safeParse({ approval_roles: ['dba', 'change-manager'] }).success).toBe(true)
  })
})
