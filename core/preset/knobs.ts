/** What governs a run. None of it is a value that a workspace or a preset fills in, no matter what it is called in a file. */
export const KNOBS = [
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

/** Whether a value of this name would govern. */
export function isKnob(name: string): boolean {
  return (KNOBS as readonly string[]).includes(name)
}
