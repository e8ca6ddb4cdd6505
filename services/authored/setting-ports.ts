import type { ConsoleEnvironment, ConsoleProfile } from '#core/environment/console-schema.ts'
import type { FileFault } from '#core/file-fault.ts'
import type { EnvironmentSource } from '#platform/environments/environment-source.ts'
import type { AuthoredStore } from '#store/authored/authored.ts'
import type { ServiceContext } from '../context.ts'

/** A parsed setting, if valid, and every report that `svc check` would make. */
export interface LintedSetting<Document> {
  value?: Document | undefined
  faults: FileFault[]
}

/** The dependencies of authoring environments and profiles. */
export interface SettingPorts {
  source: Pick<EnvironmentSource, 'composed' | 'composedProfile' | 'profiles' | 'layers' | 'reloadConsole'>
  stores: Record<'environment' | 'profile', AuthoredStore>
  lintEnvironment(text: string): Promise<LintedSetting<ConsoleEnvironment>>
  lintProfile(text: string): Promise<LintedSetting<ConsoleProfile>>
  /** the text with other values of these keys, its comments kept; undefined takes a key out */
  edited(text: string | undefined, name: string, keys: Record<string, unknown>): string
  /** tells whether attaching these policies may loosen anything, in any workspace */
  attachingLoosens(names: string[]): Promise<boolean>
}

export type SettingContext = ServiceContext & { setting_ports: SettingPorts }

export interface SettingName {
  kind: 'environment' | 'profile'
  /** with its article */
  called: string
  audit: Record<'created' | 'updated' | 'deleted', { action: string }>
}

/** All that is known of one of the two kinds: how it is read, compared and shown to the caller. */
export interface SettingKind<Value extends { name: string }, Document extends { name: string }, Shown> {
  kind: 'environment' | 'profile'
  lint(text: string): Promise<LintedSetting<Document>>
  composed(value: Document | undefined, name: string): Value | undefined
  /** settings by which something may be laxer after a change */
  loosened(before: Value | undefined, after: Value | undefined): Promise<string[]>
  names(): readonly string[]
  /** tells whether the caller may see it */
  isSeen(value: Value): boolean
  shown(value: Value): Shown
}
