import { defaultCapUsd, type Environment, type Profile } from '../environment/environment.ts'

/** What a run may cost in US dollars. A profile may narrow the cap of its environment, never widen it. */
export function runCapUsd(
  { cost_gate, class: environmentClass }: Pick<Environment, 'cost_gate' | 'class'>,
  { limits }: Pick<Profile, 'limits'>,
): number {
  return Math.min(cost_gate.max_usd ?? defaultCapUsd(environmentClass), limits?.max_usd ?? Number.POSITIVE_INFINITY)
}
