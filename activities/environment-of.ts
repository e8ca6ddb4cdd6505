import type { Environment } from '#core/environment.ts'
import { removedEnvironment } from '#core/environment-defaults.ts'
import type { StepDeps } from './deps.ts'

/** The environment as it stands now. */
export function environmentOf({ environments }: Pick<StepDeps, 'environments'>, name: string): Environment {
  return environments.get(name) ?? removedEnvironment(name)
}
