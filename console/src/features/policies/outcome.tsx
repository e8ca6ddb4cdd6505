import { POLICIES } from '../../strings/policies.ts'

const COLOURS = {
  auto: 'text-success',
  dry_run: 'text-primary',
  gate: 'text-warning',
  deny: 'text-destructive',
} as const

interface Props {
  outcome: keyof typeof COLOURS
  because: readonly string[]
  /** all of these clauses, any role of each */
  roles: readonly (readonly string[])[]
}

/** The outcome of a step, its approvers, and the reasons. */
export function Outcome({ outcome, because, roles }: Props) {
  return (
    <div>
      <span className={`font-medium ${COLOURS[outcome]}`}>{POLICIES.outcomes[outcome]}</span>
      {roles.length > 0 && (
        <span className="block text-sm">
          {POLICIES.forecast.roles(roles.map((clause) => clause.join(' or ')).join(' and '))}
        </span>
      )}
      <ul className="text-sm text-muted-foreground">
        {because.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </div>
  )
}
