import type { JsonObject } from '../json.ts'
import type { Required } from './types.ts'

/** What a gate requires, as records say it: what is not asked for is left out. */
export function requirement({ approvals, approval_roles, prevent_self, ...rest }: Required): JsonObject {
  const { require_note, require_plan_hash, freezes, vouches_for } = rest
  return {
    approvals,
    approval_roles: approval_roles.map((clause) => [...clause]),
    prevent_self,
    ...(require_note === undefined ? {} : { require_note }),
    ...(require_plan_hash === undefined ? {} : { require_plan_hash }),
    ...(freezes === undefined ? {} : { freezes: [...freezes] }),
    ...(vouches_for === undefined ? {} : { vouches_for: [...vouches_for] }),
  }
}
