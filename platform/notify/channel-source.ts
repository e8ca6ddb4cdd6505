import { join } from 'node:path'
import { DomainError } from '#core/errors.ts'
import type { FileFault } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import type { FollowOptions } from '#platform/packs/follow-directories.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'
import { followFile } from '../follow-file.ts'
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
  /** reads every secret now; a channel listed here fails closed */
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
  const file = followFile({
    path: join(home, FILE),
    name: FILE,
    schema: ChannelsFile,
    none: [],
    loaded: (channels) => log.info({ channels: channels.map(({ name }) => name) }, 'channels loaded'),
    log,
    follow,
  })
  const secret = (reference: string): string => resolveSecret(reference, env)
  return {
    list: file.known,
    get: (name) => file.known().find((channel) => channel.name === name),
    errors: file.errors,
    secretProblems: () =>
      file.known().flatMap((channel) =>
        channel.secrets.flatMap((reference) => {
          const problem = secretProblem(channel, reference, secret)
          return problem === undefined ? [] : [{ channel: channel.name, reference, problem }]
        }),
      ),
    secret,
    reload: file.reload,
    close: file.close,
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
