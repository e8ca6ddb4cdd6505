import type { ProfileFile } from '../environment/schema.ts'
import type { JsonObject } from '../json/json.ts'
import type { Fault } from '../plan/fault.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { hasName } from '../text/text.ts'

/** Everything in a deployment that a file may name. What is undefined is not known here, and not asked. */
export interface KnownNames {
  environments: readonly string[]
  profiles: readonly string[]
  /** by `pack/template`, with the schema of its inputs; undefined where its file is broken */
  templates: ReadonlyMap<string, JsonObject | undefined>
  channels?: readonly string[]
  /** models of `models.yaml` */
  models?: readonly string[]
  /** action types of operators and templates */
  action_types: readonly string[]
  capabilities: readonly string[]
  /** connections that packs ask for or templates name */
  connections: readonly string[]
  /** policies that were written in the console */
  console_policies?: readonly string[]
  /** corpora that some workspace has */
  corpora?: readonly string[]
  /** slugs of the workspaces that there are */
  workspaces?: readonly string[]
  /** approval roles that somebody holds, beside the roles of the system */
  approval_roles?: readonly string[]
}

/** What a policy in force may name. */
export type PolicyNames = Pick<KnownNames, 'environments' | 'action_types' | 'capabilities'>

/** A fault for a name that there is not, with the one that was most likely meant; nothing where it is known or not given. */
export function named(
  what: string,
  name: string | undefined,
  known: readonly string[] | undefined,
  path: Fault['path'],
): Fault[] {
  if (name === undefined || known === undefined || known.includes(name)) return []
  return [{ path, message: `there is no ${what} ${name}${didYouMean(name, known)}` }]
}

/** What nothing here does yet may come with the next pack, unless it is nearly what something does. */
export function likely(what: string, name: string, known: readonly string[], path: Fault['path']): Fault[] {
  if (hasName(known, name)) return []
  const hint = didYouMean(name, known)
  return [{ path, message: `no operator and no template has the ${what} ${name}${hint}`, warning: hint === '' }]
}

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
