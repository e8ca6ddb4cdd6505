import type { JsonObject } from '../json.ts'

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
