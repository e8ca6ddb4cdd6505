import { DomainError } from '#core/errors.ts'
import type { ChannelRecord, ChannelTest } from '#core/notify/channel-schema.ts'
import { visible } from '#core/text/visible-text.ts'
import type { Channel } from '#platform/notify/channel-kind.ts'
import type { ChannelSource } from '#platform/notify/channel-source.ts'
import { auditBy } from '../audit/read-audit.ts'
import { mustBeOfAll } from '../auth/may.ts'
import type { ServiceContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'

export interface ChannelTestPorts {
  channels: Pick<ChannelSource, 'get'>
  /** sends a test message to every recipient */
  sendTest(channel: Channel): Promise<{ ok: boolean; detail: string }[]>
}

/** Sends a test message through a channel. It is on record before it is sent. */
export const testChannel = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: ServiceContext & ChannelTestPorts, name: string): Promise<ChannelTest> => {
    mustBeOfAll(ctx.actor)
    const channel = ctx.channels.get(name)
    if (channel === undefined) throw new DomainError('not_found', 'there is no such channel')
    await ctx.runs.appendAudit([
      auditBy(ctx, {
        category: 'admin',
        action: 'channel.tested',
        workspace_id: ctx.workspace_id,
        subject: { type: 'channel', id: name },
        data: { kind: channel.kind, recipients: channel.addresses.length },
      }),
    ])
    const sent = await ctx.sendTest(channel)
    return { sent: sent.map(({ ok, detail }) => ({ ok, detail: visible(detail) })) }
  },
)

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
