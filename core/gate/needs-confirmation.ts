import type { EnvironmentClass } from '../environment/environment.ts'
import type { GateKind } from './types.ts'

/** Tells whether a person confirms an approval a second time: it acts with high risk, in production, or perhaps twice. */
export const needsConfirmation = (gate: {
  kind: GateKind
  action_type: string
  risk: string
  environment_class: EnvironmentClass
}): boolean =>
  gate.action_type !== 'read' &&
  (gate.risk === 'high' || gate.environment_class === 'production' || gate.kind === 'outcome_unknown')
