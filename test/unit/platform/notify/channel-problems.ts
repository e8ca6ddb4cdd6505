import { ChannelsFile } from '#platform/notify/channel-kinds.ts'

/** What is wrong with these entries of `channels.yaml`, each with its place. */
export function channelProblems(...channels: unknown[]): string[] {
  const { error } = ChannelsFile.safeParse(channels)
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
}

/** The recipients of an entry. */
export function addressesOf(entry: object): readonly string[] {
  const [channel] = ChannelsFile.parse([entry])
  return channel?.addresses ?? []
}
