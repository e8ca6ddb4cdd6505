import type { Addressee } from '#store/notices/notice-deliveries.ts'
import type { NoticeDeps } from './deps.ts'

/** Everybody whom these channels name, once each. An unknown channel is logged, and names nobody. */
export function addresseesIn(
  { channels, log }: Pick<NoticeDeps, 'channels' | 'log'>,
  about: object,
  names: readonly string[],
): Addressee[] {
  return [...new Set(names)].flatMap((name) => {
    const channel = channels.get(name)
    if (channel === undefined) log.warn({ ...about, channel: name }, 'unknown channel')
    return channel === undefined ? [] : channel.addresses.map((recipient) => ({ channel: name, recipient }))
  })
}
