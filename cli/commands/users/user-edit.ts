import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import type { RoleName } from '#core/user/schema.ts'

/** Options of `svc users set`: a list replaces the present one, the others add to it or remove from it. */
export interface UserFlags {
  role?: RoleName[]
  addRole?: RoleName[]
  removeRole?: RoleName[]
  workspace?: string[]
  addWorkspace?: string[]
  removeWorkspace?: string[]
  home?: string
  approvalRole?: string[]
  addApprovalRole?: string[]
  removeApprovalRole?: string[]
  scope?: string[]
  name?: string
  disable?: boolean
  enable?: boolean
}

/** Returns the change of a user that the options describe. Throws `validation_failed`. */
export function editOf(
  user: Schema<'User'>,
  flags: UserFlags,
  workspaceId: (named: string) => string,
): Schema<'UserEdit'> {
  const { scope, name, disable, enable } = flags
  const roles = changed(user.roles as RoleName[], flags.role, flags.addRole, flags.removeRole)
  const { approvalRole, addApprovalRole, removeApprovalRole } = flags
  const approval_roles = changed(user.approval_roles, approvalRole, addApprovalRole, removeApprovalRole)
  const workspaces = placesOf(user.workspaces, flags, (named) => (named === '*' ? named : workspaceId(named)))
  if (roles?.length === 0)
    throw new DomainError('validation_failed', 'a user has at least one role: name it with --role, or use --disable')
  if (workspaces?.length === 0)
    throw new DomainError('validation_failed', 'a user is in at least one workspace: name it with --workspace')
  const edit = {
    ...(roles !== undefined && { roles }),
    ...(workspaces !== undefined && { workspaces }),
    ...(approval_roles !== undefined && { approval_roles }),
    ...(scope !== undefined && { scopes: scope }),
    ...(name !== undefined && { display_name: name === '' ? null : name }),
    ...(disable ? { status: 'disabled' as const } : {}),
    ...(enable ? { status: 'active' as const } : {}),
  }
  if (Object.keys(edit).length === 0)
    throw new DomainError(
      'validation_failed',
      'say what changes, such as --add-role approver; see svc users set --help',
    )
  return edit
}

function changed<Name extends string>(
  current: readonly Name[],
  all: Name[] | undefined,
  added: Name[] = [],
  removed: Name[] = [],
): Name[] | undefined {
  if (all !== undefined) return [...new Set(all)]
  if (added.length === 0 && removed.length === 0) return undefined
  return [...new Set([...current, ...added])].filter((name) => !removed.includes(name))
}

function placesOf(current: string[], flags: UserFlags, id: (named: string) => string): string[] | undefined {
  const { workspace, addWorkspace, removeWorkspace, home } = flags
  const [added, removed] = [addWorkspace?.map(id), removeWorkspace?.map(id)]
  if (workspace === undefined && current.includes('*') && (added ?? removed ?? home) !== undefined)
    throw new DomainError('validation_failed', 'they are in all workspaces: name those that they keep with --workspace')
  const places = changed(current, workspace?.map(id), added, removed)
  if (home === undefined) return places
  const first = id(home)
  return [first, ...(places ?? current).filter((place) => place !== first)]
}
