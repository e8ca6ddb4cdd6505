import { describe, expect, it } from 'vitest'
import { ChannelsFile } from '#platform/notify/channel-kinds.ts'
import { addressesOf, channelProblems } from '../channel-problems.ts'

const slack = {
  name: 'chat',
  kind: 'slack',
  channel: '#ops',
  token: 'env:BOT',
  signing_secret: ['env:NEW', 'file:/run/old'],
}

describe('a Slack conversation in channels.yaml', () => {
  it('refuses a conversation that is none', () => {
    expect(channelProblems({ ...slack, channel: 'ops' })).toEqual([expect.stringContaining('0.channel: ')])
  })

  it.each<[string, object, boolean]>([
    ['conversations of one name in two workspaces', { token: 'env:OTHER_BOT' }, true],
    ['conversations of one name behind two gateways', { api_url: 'https://chat.example.test' }, true],
    ['two conversations of one workspace', { channel: '#dba' }, true],
    ['one conversation under two names', { name: 'second', signing_secret: 'env:NEW' }, false],
  ])('tells recipients apart: %s', (_, changes, distinct) => {
    expect(addressesOf({ ...slack, ...changes })[0] !== addressesOf(slack)[0]).toBe(distinct)
  })

  it('is a chat in which people answer, and names every secret, old ones included', () => {
    const [channel] = ChannelsFile.parse([slack])
    expect(channel?.chat).toBeDefined()
    expect(channel?.secrets).toEqual(['env:BOT', 'env:NEW', 'file:/run/old'])
    expect([channel?.host, ...(channel?.addresses ?? [])]).toEqual([
      'slack.com',
      expect.stringMatching(/^#ops#[0-9a-f]{8}$/),
    ])
  })
})
