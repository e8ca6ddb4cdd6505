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

/** Where an item comes from: what is shipped, a pack, the files of the deployment, or the console. */
export type ConfigLayer = 'default' | 'pack' | 'overlay' | 'console'

/** Something that protects, as it is now: a file, a pack, or a policy written in the console. */
export interface ConfigItem {
  /** its path in the data directory or in its pack, such as `policies/guard.yaml` or `packs/sre/rules/alerts.yaml` */
  item: string
  kind: ConfigKind
  layer: ConfigLayer
  /** `sha256:…`, or `unreadable:<why>` */
  state: string
  /** who it is from: the owner of a file, or the author of what the console wrote */
  about: ConfigSource
  /** the text of a policy, an environment or a profile: what follows is compared with it */
  body?: string
  /** the pack that brings it */
  pack?: string
  /** absent for what stands above all workspaces */
  workspace_id?: string
}

export interface ConfigSource extends JsonObject {
  owner?: { uid: number; name?: string }
  /** when the file was last written */
  mtime?: string
  author?: string
}

/** An item as the record last knew it. `state` is null once it is gone. */
export interface KnownItem extends Omit<ConfigItem, 'state'> {
  state: string | null
  version: number
}

/** What one look found. */
export interface FoundConfig {
  items: ConfigItem[]
  /** beginnings of items that could not be listed: of them nothing is known, so nothing is gone either */
  unlisted: string[]
}
