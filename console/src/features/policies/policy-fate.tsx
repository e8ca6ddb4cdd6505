import { Status } from '../../components/status.tsx'
import { POLICIES } from '../../strings/policies.ts'
import type { Policy } from './api.ts'

/** The effect of a policy among all others, and why. */
export function PolicyFate({ policy }: { policy: Policy }) {
  const { broken, problems, attached, overridden_by, in_force_in } = policy
  return (
    <ul className="space-y-1">
      {broken && (
        <li>
          <Status of="broken" /> {POLICIES.broken}
          <ul>
            {problems.map(({ message, line, column }) => (
              <li key={`${line}:${column}:${message}`} className="text-muted-foreground">
                {line !== undefined && `${line}${column === undefined ? '' : `:${column}`} `}
                {message}
              </li>
            ))}
          </ul>
        </li>
      )}
      {!attached && <li className="text-muted-foreground">{POLICIES.detached}</li>}
      {overridden_by.map(({ layer, source, environments, loosens }) => (
        <li key={`${layer}:${source}`}>
          {POLICIES.overridden(POLICIES.layers[layer], source, environments.join(', '))}{' '}
          {loosens && <span className="font-medium text-destructive">{POLICIES.loosens_override}</span>}
        </li>
      ))}
      {attached && !broken && in_force_in.length > 0 && (
        <li>
          <Status of="in_force" /> <span className="text-muted-foreground">{POLICIES.wins}</span>
        </li>
      )}
    </ul>
  )
}
