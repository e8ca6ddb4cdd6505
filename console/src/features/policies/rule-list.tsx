import { POLICIES } from '../../strings/policies.ts'
import type { Policy } from './api.ts'

/** The demands of a policy, in words. */
export function RuleList({ rules }: Pick<Policy, 'rules'>) {
  return (
    <ul>
      {rules.map(({ effect, reason, approval_role, require_note, min_approvals }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no name, and their order is theirs
        <li key={place} className="[overflow-wrap:anywhere]">
          <span className={effect === 'allow_auto' ? 'font-medium text-warning' : 'font-medium'}>
            {POLICIES.effects[effect]}
          </span>{' '}
          {approval_role !== undefined && POLICIES.role(approval_role)}{' '}
          {min_approvals !== undefined && POLICIES.approvals(min_approvals)}{' '}
          {require_note !== undefined && POLICIES.note(require_note)}
          {reason !== '' && <span className="text-muted-foreground"> {reason}</span>}
        </li>
      ))}
    </ul>
  )
}
