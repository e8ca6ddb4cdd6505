import type { Required } from './types.ts'

/**
 * Why an approval that was given under `held` does not cover what is `required` now; undefined when it does. Whatever became
 * stricter since then, or froze, was not what the approver agreed to.
 */
export function uncovered(held: Required, required: Required): 'policy_changed' | 'frozen' | undefined {
  const covers =
    held.approvals >= required.approvals &&
    required.approval_roles.every((clause) =>
      held.approval_roles.some((other) => other.every((role) => clause.includes(role))),
    ) &&
    (held.prevent_self || !required.prevent_self) &&
    // a note on rejections says nothing about an approval
    (held.require_note === 'always' || required.require_note !== 'always') &&
    (held.require_plan_hash === true || required.require_plan_hash !== true)
  const announced = held.freezes ?? []
  if (required.freezes?.some((name) => !announced.includes(name)) === true) return 'frozen'
  return covers ? undefined : 'policy_changed'
}
