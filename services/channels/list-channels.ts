import type { ChannelRecord } from '#core/notify/channel-schema.ts'
import { visible } from '#core/visible-text.ts'
import type { ChannelSource } from '#platform/notify/channel-source.ts'
import { mustBeOfAll } from '../auth/may.ts'
import type { ServiceContext } from '../context.ts'

type Context = Pick<ServiceContext, 'actor'> & { channels: Pick<ChannelSource, 'list' | 'secretProblems'> }

/** The channels in force, and why some of them send nothing. */
export function listChannels({ actor, channels }: Context): ChannelRecord[] {
  mustBeOfAll(actor)
  const problems = new Map(channels.secretProblems().map(({ channel, problem }) => [channel, problem]))
  return channels.list().map(({ name, kind, addresses }) => {
    const problem = problems.get(name)
    return { name, kind, recipients: addresses.map(visible), ...(problem !== undefined && { problem }) }
  })
}
