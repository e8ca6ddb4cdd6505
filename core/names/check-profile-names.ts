import type { ProfileFile } from '../environment-schema.ts'
import type { Fault } from '../plan/fault.ts'
import type { KnownNames } from './known-names.ts'
import { likely } from './likely.ts'
import { named } from './named.ts'

/** The names that a profile goes by: its environment, models, and action types. An action type that nothing has yet may be meant, unless it is nearly another. */
export function checkProfileNames(file: ProfileFile, known: KnownNames): Fault[] {
  return [
    ...named('environment', file.environment, known.environments, ['environment']),
    ...Object.entries(file.model_roles ?? {}).flatMap(([role, binding]) => [
      ...named('model', binding?.model, known.models, ['model_roles', role, 'model']),
      ...named('model', binding?.fallback, known.models, ['model_roles', role, 'fallback']),
    ]),
    ...file.requires_approval.flatMap((name, index) =>
      likely('action type', name, known.action_types, ['requires_approval', index]),
    ),
  ]
}
