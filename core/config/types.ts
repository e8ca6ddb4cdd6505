import type { JsonObject } from '../json/json.ts'

export const CONFIG_KINDS = [
  'policy',
  'environment',
  'profile',
  'rules',
  'schedules',
  'channels',
  'models',
  'skill',
  'pack',
] as const
export type ConfigKind = (typeof CONFIG_KINDS)[number]

/** The layer of an item: shipped default, pack, file of the deployment, or console. */
export type ConfigLayer = 'default' | 'pack' | 'overlay' | 'console'

/** A protective item, as it is now: a file, a pack, or a policy of the console. */
export interface ConfigItem {
  /** its path in the data directory or in its pack, such as `policies/guard.yaml` or `packs/sre/rules/alerts.yaml` */
  item: string
  kind: ConfigKind
  layer: ConfigLayer
  /** `sha256:…`, or `unreadable:<why>` */
  state: string
  /** the owner of a file, or the author of a console document */
  about: ConfigSource
  /** the text of a policy, an environment or a profile: what follows is compared with it */
  body?: string
  /** its pack */
  pack?: string
  /** absent for items above all workspaces */
  workspace_id?: string
}

export interface ConfigSource extends JsonObject {
  owner?: { uid: number; name?: string }
  /** last write of the file */
  mtime?: string
  author?: string
}

/** An item as last recorded. `state` is null once it is removed. */
export interface KnownItem extends Omit<ConfigItem, 'state'> {
  state: string | null
  version: number
}

/** The result of one reading of the configuration. */
export interface FoundConfig {
  items: ConfigItem[]
  /** name prefixes of items that could not be listed: those items count neither as present nor as removed */
  unlisted: string[]
}
