import { isRoleName } from './role-names.ts'

/**
 * The roles by which somebody meets an `approval_role`: their roles of the system, and their free approval roles. A name of the
 * system's always means the system's role: whoever may hand out free names must not be able to hand out that.
 */
export function heldRoles({ roles, approval_roles }: { roles: string[]; approval_roles: string[] }): string[] {
  return [...roles, ...approval_roles.filter((name) => !isRoleName(name))]
}
