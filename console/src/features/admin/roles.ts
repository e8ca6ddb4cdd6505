import { ROLES, type Role } from '../../lib/use-me.ts'

/** Only an owner makes an owner. */
export function rolesToGive(isOwner: boolean): Role[] {
  return ROLES.filter((role) => isOwner || role !== 'owner')
}

export function rolesOf(names: readonly string[]): Role[] {
  return ROLES.filter((role) => names.includes(role))
}

/** Words with commas between. */
export function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
