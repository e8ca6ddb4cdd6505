/** The roles of the system. */
export const ROLE_NAMES = ['owner', 'admin', 'operator', 'approver', 'viewer', 'service'] as const

export function isRoleName(name: string): boolean {
  return ROLE_NAMES.some((role) => role === name)
}
