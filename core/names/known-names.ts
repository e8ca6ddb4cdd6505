import type { ProfileFile } from '../environment/schema.ts'
import type { JsonObject } from '../json/json.ts'
import type { Fault } from '../plan/fault.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { hasName } from '../text/text.ts'

/** Names in a deployment that files may refer to. An undefined member is unknown here, and not checked. */
export interface KnownNames {
  environments: readonly string[]
  profiles: readonly string[]
  /** schemas of inputs by `pack/template`; undefined where the file is broken */
  templates: ReadonlyMap<string, JsonObject | undefined>
  channels?: readonly string[]
  /** models of `models.yaml` */
  models?: readonly string[]
  /** action types of operators and templates */
  action_types: readonly string[]
  capabilities: readonly string[]
  /** connections that packs need or templates name */
  connections: readonly string[]
  /** connections of the console, by name and id */
  stored_connections?: readonly string[]
  /** policies that were written in the console */
  console_policies?: readonly string[]
  /** corpora that some workspace has */
  corpora?: readonly string[]
  /** slugs of the workspaces that there are */
  workspaces?: readonly string[]
  /** true where the running service checks what only it knows */
  service_checks?: boolean
  /** approval roles that users hold, besides the system's roles */
  approval_roles?: readonly string[]
}

/** Names that a policy in force may refer to. */
export type PolicyNames = Pick<KnownNames, 'environments' | 'action_types' | 'capabilities'>

/** Returns a fault for an unknown name, with the nearest known one; nothing where it is known or absent. */
export function named(
  what: string,
  name: string | undefined,
  known: readonly string[] | undefined,
  path: Fault['path'],
): Fault[] {
  if (name === undefined || known === undefined || known.includes(name)) return []
  return [{ path, message: `there is no ${what} ${name}${didYouMean(name, known)}` }]
}

/** An unknown action type may come with the next pack, unless it is nearly a known one. */
export function likely(what: string, name: string, known: readonly string[], path: Fault['path']): Fault[] {
  if (hasName(known, name)) return []
  const hint = didYouMean(name, known)
  return [{ path, message: `no operator and no template has the ${what} ${name}${hint}`, warning: hint === '' }]
}

/**
 * Checks the names in a profile: its environment, models, and action types. An unknown action type is a fault only if it is nearly a known
 * one.
 */
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
