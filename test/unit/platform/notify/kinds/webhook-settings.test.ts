import { describe, expect, it } from 'vitest'
import { addressesOf, channelProblems } from '../channel-problems.ts'

const webhook = { name: 'ops-hook', kind: 'webhook', url: 'https://hooks.example.test/svc', secret: 'env:HOOK' }

describe('a webhook in channels.yaml', () => {
  it.each<[string, object, string]>([
    ['credentials in a url', { url: 'https://user:pw@hooks.example.test/' }, 'url'],
    ['a url that is none', { url: 'hooks.example.test' }, 'url'],
    ['a file as a url', { url: 'file:///etc/passwd' }, 'url'],
  ])('refuses %s', (_what, changes, path) => {
    expect(channelProblems({ ...webhook, ...changes })).toEqual([expect.stringContaining(`0.${path}: `)])
  })

  it.each<[string, object, boolean]>([
    ['two receivers behind one host', { url: 'https://hooks.example.test/other' }, true],
    ['one receiver under two names', { name: 'second', url: 'https://HOOKS.example.test:443/svc' }, false],
  ])('tells recipients apart: %s', (_, changes, distinct) => {
    expect(addressesOf({ ...webhook, ...changes })[0] !== addressesOf(webhook)[0]).toBe(distinct)
  })

  it('gives nothing of its url away by the name of its recipient', () => {
    const [address] = addressesOf({ ...webhook, url: 'https://hooks.example.test/T0/secret-path?key=k1' })
    expect(address).toMatch(/^hooks\.example\.test#[0-9a-f]{8}$/)
    expect(address).not.toMatch(/secret|T0|k1/)
  })
})
