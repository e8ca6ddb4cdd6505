import { join } from 'node:path'
import { DEFAULT_PROFILE, type Environment, type Profile } from '#core/environment.ts'
import { applyEnvironmentFile, profileFromFile, SEEDED_ENVIRONMENTS } from '#core/environment-defaults.ts'
import { EVERY_WORKSPACE } from '#core/environment-grants.ts'
import { DomainError } from '#core/errors.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { type FileFault, faultText } from '#platform/packs/file-fault.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'
import { createEnvironmentFiles } from './environment-files.ts'

/** Environments, profiles and overlay rules, kept current while the process runs. */
export interface EnvironmentSource {
  /** undefined also when its file could never be read: what it would have restricted is not known */
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
  /** A connection with its secret url. Throws `not_found` or `not_configured`. */
  connect(environment: string, id: string): { kind: string; url: string }
  /** looks at the files now */
  reload(): void
  close(): void
}

export interface EnvironmentSourceOptions {
  /** the data directory */
  home: string
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  /** while nobody's identity is checked, every workspace may use what names none */
  open?: boolean
  /** the variables that `env:NAME` refers to */
  env?: SecretEnvironment
  follow?: FollowOptions
}

const FOLDERS = ['environments', 'profiles', 'rules']

/** Seeded environments under what the files say. A broken file, or one whose folder vanished, keeps its last good version, so that it never loosens anything. */
export function createEnvironmentSource({
  home,
  log,
  open = false,
  env = {},
  follow,
}: EnvironmentSourceOptions): EnvironmentSource {
  const files = createEnvironmentFiles(home)
  let environments = new Map<string, Environment>()
  let profiles = new Map<string, Profile>()
  let rules: TriggerRule[] = []
  let loaded = false

  const folders = [files.environments, files.profiles, files.rules]

  function look(as_it_is: boolean): void {
    const changed = folders.map((folder) => folder.look({ clock: follow?.clock, as_it_is }))
    if (!changed.includes(true) && loaded) return
    loaded = true
    const unnamed = open ? { workspaces: [EVERY_WORKSPACE] } : {}
    environments = new Map(SEEDED_ENVIRONMENTS.map((each) => [each.name, { ...unnamed, ...each }]))
    for (const file of files.environments.values()) {
      environments.set(file.name, { ...unnamed, ...applyEnvironmentFile(environments.get(file.name), file) })
    }
    for (const name of files.environments.unread()) environments.delete(name)
    profiles = new Map(files.profiles.values().map((file) => [file.name, profileFromFile(file)]))
    rules = files.rules.values().flat()
    const problems = errors()
    if (problems.length > 0)
      log.warn({ problems: problems.map(faultText) }, 'broken files keep their last good version')
    else if (changed.includes(true)) log.info({ environments: [...environments.keys()] }, 'environments loaded')
  }

  function errors(): FileFault[] {
    return folders.flatMap((folder) => folder.faults())
  }

  look(true)
  const following = followDirectories(
    FOLDERS.map((folder) => join(home, folder)),
    () => {
      look(false)
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
      if (files.profiles.unread().has(name)) {
        throw new DomainError(
          'not_configured',
          `profiles/${name}.yaml cannot be read, so its gates are not known; repair it`,
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
      return { kind: connection.kind, url: resolveSecret(connection.url, env) }
    },
    reload: () => look(true),
    close: following.close,
  }
}
