import { z } from 'zod'

/**
 * The roles of the system, with their rank: a higher one includes the lower ones. `service` is an operator without votes. `auditor` has no
 * rank: it reads every record, and neither acts nor spends.
 */
export const ROLE_RANKS = { owner: 5, admin: 4, operator: 3, approver: 2, viewer: 1, service: 3, auditor: 0 } as const
export type RoleName = keyof typeof ROLE_RANKS
export const ROLE_NAMES = Object.keys(ROLE_RANKS) as RoleName[]

export function isRoleName(name: string): name is RoleName {
  return Object.hasOwn(ROLE_RANKS, name)
}

/**
 * Returns the roles of a user that can meet an `approval_role`: their roles of the system, and their free approval roles. A name of a
 * system role always means that role: a user who may grant free names must not be able to grant that.
 */
export function heldRoles({ roles, approval_roles }: { roles: string[]; approval_roles: string[] }): string[] {
  return [...roles, ...approval_roles.filter((name) => !isRoleName(name))]
}

const USER_STATUSES = ['invited', 'active', 'disabled'] as const

/** Ids of users in a text. */
export const USER_IDS = /\busr_[0-9a-z]{26}\b/g

export const UserId = z
  .string()
  .regex(/^usr_[0-9a-z]{26}$/)
  .meta({ example: 'usr_01hzx3v8k2m4n6p8q0r2s4t6v8' })
const Roles = z.array(z.enum(ROLE_NAMES)).min(1).max(ROLE_NAMES.length)
/** Free names for `approval_role`. A system role cannot be given as a free name. */
const ApprovalRole = z
  .string()
  .regex(/^[\w.:-]{1,64}$/)
  .refine((name) => !isRoleName(name), { error: 'this is the name of a role of the system; give it in roles' })
const ApprovalRoles = z.array(ApprovalRole).max(50)
/** RFC 6749 section 3.3, with a colon between the noun and the verb. */
const Scopes = z.array(z.string().regex(/^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,31}$/)).max(50)
const AnyWorkspaces = z.array(z.string().regex(/^(ws_[0-9a-z]{26}|\*)$/)).max(500)
const Workspaces = AnyWorkspaces.min(1)
const DisplayName = z.string().trim().min(1).max(200)
const NewPassword = z.string().min(12).max(200).meta({ description: 'At least 12 characters' })
/** Kept in lower case, so that one person has one address. */
const Email = z.email().max(254).toLowerCase().meta({ example: 'ada@example.test' })

/** Sign-in credentials of a user. */
export const Credentials = z.object({ email: Email, password: NewPassword })

/** A person or a service account. */
export const User = z
  .object({
    id: z.string(),
    account_id: z.string(),
    email: z.string().optional(),
    display_name: z.string().optional(),
    roles: z.array(z.string()),
    approval_roles: z.array(z.string()).meta({ description: 'Names that policies ask for by `approval_role`' }),
    scopes: z.array(z.string()).meta({ description: 'Rights beyond the role, such as `approvals:on_behalf`' }),
    workspaces: z.array(z.string()).meta({ description: 'Ids, home first, or `*` for all' }),
    status: z.enum(USER_STATUSES),
    out_of_office_until: z.string().optional(),
    delegate_to: z.string().optional().meta({ description: 'Who answers gates meanwhile' }),
    answering_accounts: z
      .array(z.string())
      .optional()
      .meta({ description: 'Service accounts that may answer gates in this name; absent where there are none' }),
    last_login_at: z.string().optional(),
    created_at: z.string().optional(),
    etag: z.string().optional().meta({ description: 'For `If-Match`; a sign-in does not change it' }),
  })
  .meta({ id: 'User', description: 'A person or a service account' })
export type User = z.infer<typeof User>

/** Invites a user. Anyone who is not owner or admin names at least one workspace. */
export const UserInvite = z
  .strictObject({
    email: Email,
    display_name: DisplayName.optional(),
    roles: Roles,
    workspaces: Workspaces.optional(),
    approval_roles: ApprovalRoles.optional(),
    scopes: Scopes.optional(),
  })
  .meta({ id: 'UserInvite', description: 'A user to invite; `workspaces` defaults to `["*"]` for owners and admins' })
export type UserInvite = z.infer<typeof UserInvite>

export const InvitedUser = User.extend({
  invite_token: z.string().meta({ description: 'Shown this once; sets the first password' }),
  invite_expires_at: z.string(),
}).meta({ id: 'InvitedUser', description: 'The invited user, with the token that lets them in' })
export type InvitedUser = z.infer<typeof InvitedUser>

export const UserEdit = z
  .strictObject({
    display_name: DisplayName.nullable().optional(),
    roles: Roles.optional(),
    approval_roles: ApprovalRoles.optional(),
    scopes: Scopes.optional(),
    workspaces: AnyWorkspaces.optional().meta({
      description: 'Of the workspaces that you may enter, those that the user is in; the others stay as they are',
    }),
    status: z.enum(['active', 'disabled']).optional(),
  })
  .meta({ id: 'UserEdit', description: 'What changes; the rest stays' })
export type UserEdit = z.infer<typeof UserEdit>

export const OwnEdit = z
  .strictObject({
    display_name: DisplayName.nullable().optional(),
    out_of_office_until: z.iso.datetime({ offset: true }).nullable().optional(),
    delegate_to: UserId.nullable().optional().meta({ description: 'Who answers gates while you are away' }),
  })
  .meta({ id: 'OwnEdit', description: 'What changes about yourself; the rest stays' })
export type OwnEdit = z.infer<typeof OwnEdit>

export const Delegate = z
  .object({ id: UserId, display: z.string(), email: Email })
  .meta({ id: 'Delegate', description: 'A user who can answer gates for you' })
export type Delegate = z.infer<typeof Delegate>

export const AnsweringAccount = z
  .object({
    id: UserId,
    display: z.string(),
    email: Email.optional().meta({ description: 'Absent for an account that is no longer in your workspaces' }),
    named: z.boolean().meta({ description: 'You let it answer gates for you' }),
    answers: z.boolean().meta({ description: 'It does so now: you have named it, and it could' }),
  })
  .meta({
    id: 'AnsweringAccount',
    description: 'A service account that could answer gates for you, or that you have named',
  })
export type AnsweringAccount = z.infer<typeof AnsweringAccount>

export const PasswordChange = z
  .strictObject({
    password: NewPassword,
    current_password: z.string().max(200).optional().meta({ description: 'Needed to change your own' }),
    invite_token: z.string().max(200).optional().meta({ description: 'Sets the first password; no sign-in needed' }),
  })
  .meta({ id: 'PasswordChange', description: 'A new password; it ends every session of its user' })
export type PasswordChange = z.infer<typeof PasswordChange>
