import { join } from 'node:path'
import type { ConsoleEnvironment, ConsoleProfile } from '#core/environment/console-schema.ts'
import {
  applyConsoleProfile,
  applyEnvironmentFile,
  profileFromFile,
  SEEDED_ENVIRONMENTS,
} from '#core/environment/defaults.ts'
import { DEFAULT_PROFILE, type Environment, EVERY_WORKSPACE, type Profile } from '#core/environment/environment.ts'
import { storedConnection } from '#core/environment/schema.ts'
import { DomainError } from '#core/errors.ts'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import { HOUR_MS } from '#core/time/time.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'
import { type ConsoleDocuments, type ConsoleSettingsOptions, createConsoleSettings } from './console-settings.ts'
import { createEnvironmentFiles } from './environment-files.ts'

/** Environments, profiles and overlay rules, kept current while the process runs. */
export interface EnvironmentSource {
  /** undefined also when its file could never be read: its restrictions are unknown */
  get(name: string): Environment | undefined
  list(): readonly Environment[]
  /**
   * `default` gates nothing where it has no file. Throws `not_found` for any other profile that does not exist, and
   * `not_configured` when its file could never be read.
   */
  profile(name: string): Profile
  profiles(): readonly Profile[]
  /** rules of the overlay layer, in the order of their files */
  rules(): readonly TriggerRule[]
  errors(): readonly FileFault[]
  /** A connection with its secret url, or the name of the console's. Throws `not_found` or `not_configured`. */
  connect(environment: string, id: string): { kind: string; url: string } | { kind: string; stored: string }
  /** an environment with this console document, or with none; undefined when it does not exist, or is shut */
  composed(name: string, document: ConsoleEnvironment | undefined): Environment | undefined
  composedProfile(name: string, document: ConsoleProfile | undefined): Profile | undefined
  /** layers that set anything of it */
  layers(kind: 'environment' | 'profile', name: string): SettingLayer[]
  /** reads the files now */
  reload(): void
  /** resolves when earlier changes in the console are in force */
  reloadConsole(): Promise<void>
  close(): void
}

export type SettingLayer = 'seeded' | 'file' | 'console'

export interface EnvironmentSourceOptions {
  /** the data directory */
  home: string
  log: Pick<Log, 'info' | 'warn'>
  /** true while authentication is off: every workspace may use environments without grants */
  open?: boolean
  /** the variables that `env:NAME` refers to */
  env?: SecretEnvironment
  follow?: FollowOptions
  /** the console's documents over the files; absent without a console */
  console?: ConsoleSettingsOptions
}

const FOLDERS = ['environments', 'profiles', 'rules']

/**
 * Combines seeded environments, files and console documents, each over the one before. A broken file, or one whose folder vanished, keeps
 * its last good version, so that it never loosens anything.
 */
export function createEnvironmentSource({
  home,
  log,
  open = false,
  env = {},
  follow,
  console = { load: async () => ({ environments: [], profiles: [] }), poll_ms: HOUR_MS },
}: EnvironmentSourceOptions): EnvironmentSource {
  const files = createEnvironmentFiles(home)
  let environments = new Map<string, Environment>()
  let profiles = new Map<string, Profile>()
  let rules: TriggerRule[] = []
  let loaded = false

  const authored = createConsoleSettings(console, {
    change: () => compose(),
    failure: (err) =>
      log.warn({ err }, 'what the console says about environments cannot be read: the last known stays'),
  })
  const folders = [files.environments, files.profiles, files.rules]

  function reload(as_it_is: boolean): void {
    const changed = folders.map((folder) => folder.reload({ clock: follow?.clock, as_it_is }))
    if (!changed.includes(true) && loaded) return
    loaded = true
    compose()
    rules = files.rules.values().flat()
    const problems = errors()
    if (problems.length > 0)
      log.warn({ problems: problems.map(faultText) }, 'broken files keep their last good version')
    else if (changed.includes(true)) log.info({ environments: [...environments.keys()] }, 'environments loaded')
  }

  const unnamed = open ? { workspaces: [EVERY_WORKSPACE] } : {}

  function beneath(name: string): Environment | undefined {
    const seeded = SEEDED_ENVIRONMENTS.find((each) => each.name === name)
    const file = files.environments.values().find((each) => each.name === name)
    const base = seeded && { ...unnamed, ...seeded }
    return file === undefined ? base : { ...unnamed, ...applyEnvironmentFile(base, file) }
  }

  function composed(name: string, document: ConsoleEnvironment | undefined): Environment | undefined {
    if (files.environments.unread().has(name)) return undefined
    const base = beneath(name)
    if (document === undefined) return base
    const environment = { ...unnamed, ...applyEnvironmentFile(base, document) }
    // a connection of the file stays what it is
    return { ...environment, connections: { ...environment.connections, ...base?.connections } }
  }

  function composedProfile(name: string, document: ConsoleProfile | undefined): Profile | undefined {
    if (files.profiles.unread().has(name)) return undefined
    const file = files.profiles.values().find((each) => each.name === name)
    const base = file && profileFromFile(file)
    return document === undefined ? base : applyConsoleProfile(base, document)
  }

  /** A setting that is shut in any layer is absent: its restrictions are unknown. */
  function compose(): void {
    const [ofEnvironments, ofProfiles] = [authored.environments(), authored.profiles()]
    const named = [...SEEDED_ENVIRONMENTS, ...files.environments.values(), ...ofEnvironments.values.values()]
    environments = composedMap(named, ofEnvironments, composed)
    profiles = composedMap([...files.profiles.values(), ...ofProfiles.values.values()], ofProfiles, composedProfile)
  }

  function layers(kind: 'environment' | 'profile', name: string): SettingLayer[] {
    const [folder, document] =
      kind === 'environment' ? [files.environments, authored.environments()] : [files.profiles, authored.profiles()]
    const isSeeded = kind === 'environment' && SEEDED_ENVIRONMENTS.some((each) => each.name === name)
    return [
      ...(isSeeded ? (['seeded'] as const) : []),
      ...(folder.values().some((each) => each.name === name) ? (['file'] as const) : []),
      ...(document.values.has(name) || document.shut.has(name) ? (['console'] as const) : []),
    ]
  }

  function errors(): FileFault[] {
    const shut = [...authored.environments().shut, ...authored.profiles().shut].map((name) => ({
      file: `what the console says about ${name}`,
      message: 'cannot be read by this release; nothing runs under it until it is rewritten',
    }))
    return [...folders.flatMap((folder) => folder.faults()), ...shut]
  }

  reload(true)
  const following = followDirectories(
    FOLDERS.map((folder) => join(home, folder)),
    () => {
      reload(false)
      return folders.some((folder) => folder.moving()) ? 'moving' : 'still'
    },
    follow,
  )
  return {
    get: (name) => environments.get(name),
    list: () => [...environments.values()],
    profile(name) {
      const profile = profiles.get(name)
      if (profile !== undefined) return profile
      if (files.profiles.unread().has(name) || authored.profiles().shut.has(name)) {
        throw new DomainError(
          'not_configured',
          `${files.profiles.unread().has(name) ? `profiles/${name}.yaml` : `what the console says about the profile ${name}`} cannot be read, so its gates are not known; repair it`,
        )
      }
      if (name === DEFAULT_PROFILE) return { name, requires_approval: [] }
      throw new DomainError('not_found', `there is no profile ${name}`)
    },
    profiles: () => [...profiles.values()],
    rules: () => rules,
    errors,
    connect(environment, id) {
      const connections = Object.entries(environments.get(environment)?.connections ?? {})
      const connection = connections.find(([each]) => each === id)?.[1]
      if (connection === undefined) {
        const known = connections.map(([each]) => each).join(', ') || 'none'
        throw new DomainError(
          'not_found',
          `connection "${id}" is not declared in environment "${environment}"; known: ${known}; add it to environments/${environment}.yaml`,
        )
      }
      const stored = storedConnection(connection.url)
      if (stored !== undefined) return { kind: connection.kind, stored }
      return { kind: connection.kind, url: resolveSecret(connection.url, env) }
    },
    composed,
    composedProfile,
    layers,
    reload: () => reload(true),
    reloadConsole: authored.reload,
    close() {
      authored.close()
      following.close()
    },
  }
}

function composedMap<Value, Document>(
  named: readonly { name: string }[],
  document: ConsoleDocuments<Document>,
  composeOne: (name: string, document: Document | undefined) => Value | undefined,
): Map<string, Value> {
  const map = new Map<string, Value>()
  for (const { name } of named) {
    const value = document.shut.has(name) ? undefined : composeOne(name, document.values.get(name))
    if (value !== undefined) map.set(name, value)
  }
  return map
}
