import type { useMe } from '../../lib/use-me.ts'
import type { ADMIN } from '../../strings/admin.ts'

export type AdminPart = keyof typeof ADMIN.parts

/** Users and keys are for admins, channels and settings for admins of all workspaces; the rest is for every signed-in user. */
export function adminParts({ isAdmin, isAdminOfAll }: ReturnType<typeof useMe>): [AdminPart, ...AdminPart[]] {
  const parts: [AdminPart, ...AdminPart[]] = ['health', 'halts']
  if (isAdminOfAll) parts.push('channels')
  parts.push('connections', 'deliveries', 'models', 'workspaces')
  if (isAdmin) parts.push('users', 'keys')
  if (isAdminOfAll) parts.push('settings')
  return parts
}
