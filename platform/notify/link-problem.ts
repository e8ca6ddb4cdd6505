import { isLoopback } from '../is-loopback.ts'
import type { Channel } from './channel-kind.ts'

/** Why people cannot follow the links in messages: they lead to this machine, and channels reach others. */
export function linkProblem(
  publicUrl: string,
  channels: readonly Pick<Channel, 'name' | 'host'>[],
): string | undefined {
  if (!isLoopback(bare(new URL(publicUrl).hostname))) return undefined
  const remote = channels.filter(({ host }) => !isLoopback(bare(host))).map(({ name }) => name)
  if (remote.length === 0) return undefined
  return `links in the messages of ${remote.join(', ')} lead to ${publicUrl}, which works on this machine alone: set SVC_PUBLIC_URL to the address under which people reach it`
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}
