/** Names that govern a run. No workspace value or preset may set one, even if a file uses the name otherwise. */
export const GOVERNING_NAMES = [
  'action_types',
  'approval',
  'approval_role',
  'approval_roles',
  'approvals',
  'cap_usd',
  'connections',
  'cost_gate',
  'daily_usd',
  'dry_run',
  'egress',
  'environment',
  'freeze',
  'lane',
  'limits',
  'max_usd',
  'min_approvals',
  'policies',
  'policy',
  'prevent_self',
  'profile',
  'require_plan_hash',
  'requires_approval',
  'risk',
  'sandbox',
] as const

export function isGoverning(name: string): boolean {
  return (GOVERNING_NAMES as readonly string[]).includes(name)
}
