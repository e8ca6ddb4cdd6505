import { join } from 'node:path'
import { DomainError } from '#core/errors.ts'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'
import { type FoundFile, readIfChanged } from '../still-file.ts'
import type { Channel } from './channel-kind.ts'
import { ChannelsFile } from './channel-kinds.ts'

const FILE = 'channels.yaml'

/** A secret that closes its channel. */
export interface ChannelSecretProblem {
  channel: string
  reference: string
  problem: string
}

/** The notification channels of a deployment, kept current while the process runs. */
export interface ChannelSource {
  list(): readonly Channel[]
  get(name: string): Channel | undefined
  errors(): readonly FileFault[]
  /** reads every secret now; what is listed here makes its channel fail closed */
  secretProblems(): ChannelSecretProblem[]
  /** The value behind a reference of a channel. Throws `not_configured`. */
  secret(reference: string): string
  /** reads the file now */
  reload(): void
  close(): void
}

export interface ChannelSourceOptions {
  /** the data directory */
  home: string
  log: Pick<Log, 'info' | 'warn'>
  /** the variables that `env:NAME` refers to */
  env?: SecretEnvironment
  follow?: FollowOptions
}

/** `channels.yaml` of a data directory; a file that breaks keeps its last good version, so that no notice is lost to a typo. */
export function createChannelSource({ home, log, env = {}, follow }: ChannelSourceOptions): ChannelSource {
  let stamp = ''
  let channels: readonly Channel[] = []
  let faults: readonly FileFault[] = []

  function reload(as_it_is: boolean): 'moving' | 'still' {
    const found = readIfChanged(join(home, FILE), stamp, { clock: follow?.clock, as_it_is })
    if (found === 'moving') return found
    if (found !== undefined) adopt(found)
    return 'still'
  }

  function adopt(found: FoundFile): void {
    stamp = found.stamp
    const parsed = found.bytes === undefined ? { data: [] } : parseDocument(ChannelsFile, FILE, found.bytes)
    faults =
      found.problem === undefined ? (Array.isArray(parsed) ? parsed : []) : [{ file: FILE, message: found.problem }]
    if (faults.length > 0) {
      log.warn({ problems: faults.map(faultText) }, 'a broken channels.yaml keeps its last good version')
      return
    }
    if (!Array.isArray(parsed)) channels = parsed.data
    log.info({ channels: channels.map(({ name }) => name) }, 'channels loaded')
  }

  const secret = (reference: string): string => resolveSecret(reference, env)
  reload(true)
  // The data directory also holds the database: watching it would follow every file of it, so one file is polled.
  const following = followDirectories([], () => reload(false), follow)
  return {
    list: () => channels,
    get: (name) => channels.find((channel) => channel.name === name),
    errors: () => faults,
    secretProblems: () =>
      channels.flatMap((channel) =>
        channel.secrets.flatMap((reference) => {
          const problem = secretProblem(channel, reference, secret)
          return problem === undefined ? [] : [{ channel: channel.name, reference, problem }]
        }),
      ),
    secret,
    reload: () => void reload(true),
    close: following.close,
  }
}

function secretProblem(channel: Channel, reference: string, secret: (reference: string) => string): string | undefined {
  try {
    const value = secret(reference)
    channel.checkSecret(reference, value)
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}
