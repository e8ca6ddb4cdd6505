import { describe, expect, it } from 'vitest'
import { CHANNEL_KINDS, ChannelsFile } from '#platform/notify/channel-kinds.ts'

const webhook = { name: 'ops-hook', kind: 'webhook', url: 'https://hooks.example.test/svc', secret: 'env:HOOK' }
const slack = {
  name: 'chat',
  kind: 'slack',
  channel: '#ops',
  token: 'env:BOT',
  signing_secret: ['env:NEW', 'file:/run/old'],
}
const email = {
  name: 'mail',
  kind: 'email',
  smtp: 'smtp://127.0.0.1:2525',
  from: 'Service <svc@example.test>',
  to: ['one@example.test', 'two@example.test'],
  username: 'env:USER_NAME',
  password: 'env:PASSWORD',
}

const parsed = ChannelsFile.parse([webhook, slack, email])
const problems = (...channels: unknown[]) =>
  ChannelsFile.safeParse(channels).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

describe('ChannelsFile', () => {
  it('takes a channel of every kind', () => {
    expect(parsed.map(({ name, kind }) => ({ name, kind }))).toEqual([
      { name: 'ops-hook', kind: 'webhook' },
      { name: 'chat', kind: 'slack' },
      { name: 'mail', kind: 'email' },
    ])
    expect(parsed.map(({ kind }) => kind)).toEqual(CHANNEL_KINDS.map(({ kind }) => kind))
  })

  it.each([
    ['a secret written down', { ...webhook, secret: 'whsec_c2VjcmV0' }, '0.secret'],
    ['a token written down', { ...slack, token: 'xoxb-1' }, '0.token'],
    ['credentials in a url', { ...webhook, url: 'https://user:pw@hooks.example.test/' }, '0.url'],
    ['a url that is none', { ...webhook, url: 'hooks.example.test' }, '0.url'],
    ['a file as a url', { ...webhook, url: 'file:///etc/passwd' }, '0.url'],
    ['credentials in the smtp url', { ...email, smtp: 'smtp://user:pw@mail.example.test' }, '0.smtp'],
    ['transport options in the smtp url', { ...email, smtp: 'smtp://mail.example.test?ignoreTLS=true' }, '0.smtp'],
    ['a second header in the sender', { ...email, from: 'svc@example.test\r\nBcc: all@example.test' }, '0.from'],
    ['two addresses in one', { ...email, to: ['one@example.test, two@example.test'] }, '0.to.0'],
    ['nobody to write to', { ...email, to: [] }, '0.to'],
    ['a conversation that is none', { ...slack, channel: 'ops' }, '0.channel'],
    ['a name with spaces', { ...webhook, name: 'ops hook' }, '0.name'],
  ])('refuses %s', (_what, channel, path) => {
    expect(problems(channel)).toEqual([expect.stringContaining(`${path}: `)])
  })

  it('refuses a password without a user name', () => {
    const { username: _, ...half } = email
    expect(problems(half)).toEqual(['0.username: username and password go together'])
  })

  it('refuses unknown keys and unknown kinds', () => {
    expect(problems({ ...webhook, headers: {} })).toEqual(['0: Unrecognized key: "headers"'])
    expect(problems({ ...webhook, kind: 'pager' })).toEqual(['0.kind: kind: takes webhook, slack, email'])
  })

  it('refuses two channels of one name', () => {
    expect(problems(webhook, { ...slack, name: 'ops-hook' })).toEqual(['1.name: a second channel ops-hook'])
  })
})

describe('a channel', () => {
  it('has one address per link that must be given', () => {
    expect(parsed.map(({ addresses }) => addresses)).toEqual([
      [expect.stringMatching(/^hooks\.example\.test#[0-9a-f]{8}$/)],
      [expect.stringMatching(/^#ops#[0-9a-f]{8}$/)],
      ['one@example.test', 'two@example.test'],
    ])
  })

  it.each<[string, object, object, boolean]>([
    ['two receivers behind one host', webhook, { ...webhook, url: 'https://hooks.example.test/other' }, true],
    ['one receiver under two names', webhook, { ...webhook, url: 'https://HOOKS.example.test:443/svc' }, false],
    ['conversations of one name in two workspaces', slack, { ...slack, token: 'env:OTHER_BOT' }, true],
    ['conversations of one name behind two gateways', slack, { ...slack, api_url: 'https://chat.example.test' }, true],
    ['two conversations of one workspace', slack, { ...slack, channel: '#dba' }, true],
    ['one conversation under two names', slack, { ...slack, signing_secret: 'env:NEW' }, false],
  ])('tells recipients apart: %s', (_, one, other, distinct) => {
    const [first, second] = ChannelsFile.parse([one, { ...other, name: 'second' }])
    expect(first?.addresses[0] !== second?.addresses[0]).toBe(distinct)
  })

  it('gives nothing of a url away by the name of its recipient', () => {
    const [channel] = ChannelsFile.parse([{ ...webhook, url: 'https://hooks.example.test/T0/secret-path?key=k1' }])
    expect(channel?.addresses.join()).not.toMatch(/secret|T0|k1/)
  })

  it('says which machine it sends to', () => {
    expect(parsed.map(({ host }) => host)).toEqual(['hooks.example.test', 'slack.com', '127.0.0.1'])
  })

  it('is a chat where people can answer', () => {
    expect(parsed.filter(({ chat }) => chat !== undefined).map(({ name }) => name)).toEqual(['chat'])
  })

  it('names every secret that it needs, old ones included', () => {
    expect(parsed.map(({ secrets }) => secrets)).toEqual([
      ['env:HOOK'],
      ['env:BOT', 'env:NEW', 'file:/run/old'],
      ['env:USER_NAME', 'env:PASSWORD'],
    ])
  })
})
