import { describe, expect, it } from 'vitest'
import { ChannelsFile } from '#platform/notify/channel-kinds.ts'
import { channelProblems } from '../channel-problems.ts'

const email = {
  name: 'mail',
  kind: 'email',
  smtp: 'smtp://127.0.0.1:2525',
  from: 'Service <svc@example.test>',
  to: ['one@example.test', 'two@example.test'],
  username: 'env:USER_NAME',
  password: 'env:PASSWORD',
}

describe('mail in channels.yaml', () => {
  it.each<[string, object, string]>([
    ['credentials in the smtp url', { smtp: 'smtp://user:pw@mail.example.test' }, 'smtp'],
    ['transport options in the smtp url', { smtp: 'smtp://mail.example.test?ignoreTLS=true' }, 'smtp'],
    ['a second header in the sender', { from: 'svc@example.test\r\nBcc: all@example.test' }, 'from'],
    ['two addresses in one', { to: ['one@example.test, two@example.test'] }, 'to.0'],
    ['nobody to write to', { to: [] }, 'to'],
  ])('refuses %s', (_what, changes, path) => {
    expect(channelProblems({ ...email, ...changes })).toEqual([expect.stringContaining(`0.${path}: `)])
  })

  it('refuses a password without a user name', () => {
    const { username: _, ...half } = email
    expect(channelProblems(half)).toEqual(['0.username: username and password go together'])
  })

  it('reaches each address by itself, and nobody answers in it', () => {
    const [channel] = ChannelsFile.parse([email])
    expect(channel).toMatchObject({ host: '127.0.0.1', addresses: ['one@example.test', 'two@example.test'] })
    expect(channel?.chat).toBeUndefined()
  })
})
