import type { Environment } from '#core/environment.ts'
import type { StepDeps } from './deps.ts'

/** The environment as it stands now. One that was removed is the strictest there is: production without policies, connections or reach. */
export function environmentOf({ environments }: Pick<StepDeps, 'environments'>, name: string): Environment {
  return (
    environments.get(name) ?? {
      name,
      class: 'production',
      policies: [],
      cost_gate: { max_usd: 0 },
      approval: { prevent_self: true, min_approvals: 1, escalate_to: [], channels: [], links: false },
      egress: [],
      connections: {},
      freeze: [],
    }
  )
}
