import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAllowed, isPublicAddress } from '#core/egress/classify.ts'

const CLOSED = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '2001:10::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
  'e000::1',
]

const OPEN = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.32.0.1',
  '168.63.129.17',
  '2606:4700::1111',
  '2a00:1450:4001::8a',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
]

const UNREADABLE = [
  '',
  'localhost',
  '127.1',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '2130706433',
  '010.0.0.1',
  '1.2.3.4.5',
  '::g',
  '[::1]',
  ' 8.8.8.8',
]

describe('isPublicAddress', () => {
  it.each(CLOSED)('%s is not public', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
    expect(isAllowed(ip, [])).toBe(false)
  })

  it.each(OPEN)('%s is public', (ip) => expect(isPublicAddress(ip)).toBe(true))

  it.each(UNREADABLE)('what is not a canonical address is never reached: %j', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
    expect(isAllowed(ip, ['loopback', '0.0.0.0/0', '::/0', ip], ip)).toBe(false)
  })

  it('an IPv4 address keeps its verdict in its mapped and NAT64 forms', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(isPublicAddress(`::ffff:${ip}`)).toBe(isPublicAddress(ip))
        expect(isPublicAddress(`64:ff9b::${ip}`)).toBe(isPublicAddress(ip))
      }),
    )
  })

  it('nothing outside of 2000::/3 is public except what stands for an IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const [first = 0] = [Number.parseInt(ip.split(':')[0] || '0', 16)]
        fc.pre(first >>> 13 !== 1 && first !== 0 && first !== 0x64)
        expect(isPublicAddress(ip)).toBe(false)
      }),
    )
  })
})

describe('isAllowed', () => {
  it('loopback opens the loopback range in all its forms and nothing else', () => {
    for (const ip of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      expect(isAllowed(ip, ['loopback'])).toBe(true)
    for (const ip of ['0.0.0.0', '::', '10.0.0.1', '169.254.169.254']) expect(isAllowed(ip, ['loopback'])).toBe(false)
  })

  it('a block opens its own addresses only, and a single address only itself', () => {
    expect(isAllowed('10.1.2.3', ['10.1.0.0/16'])).toBe(true)
    expect(isAllowed('::ffff:10.1.2.3', ['10.1.0.0/16'])).toBe(true)
    expect(isAllowed('10.2.0.1', ['10.1.0.0/16'])).toBe(false)
    expect(isAllowed('10.2.0.1', ['10.2.0.1'])).toBe(true)
    expect(isAllowed('10.2.0.2', ['10.2.0.1'])).toBe(false)
    expect(isAllowed('fd12::1', ['fd12::/16'])).toBe(true)
    expect(isAllowed('10.2.0.1', ['10.0.0.0/40', 'nonsense'])).toBe(false)
  })

  it('a host name opens the private addresses it is at, for its own URLs', () => {
    expect(isAllowed('10.0.0.5', ['db.internal'], 'DB.internal.')).toBe(true)
    expect(isAllowed('10.0.0.5', ['db.internal'], 'other.internal')).toBe(false)
    expect(isAllowed('10.0.0.5', ['db.internal'])).toBe(false)
  })

  it('a host name never opens link-local, unspecified or multicast addresses', () => {
    for (const ip of ['169.254.169.254', 'fe80::1', '0.0.0.0', '::', '224.0.0.1', '255.255.255.255']) {
      expect(isAllowed(ip, ['db.internal'], 'db.internal')).toBe(false)
    }
  })

  it('more entries never close what fewer opened', () => {
    const entry = fc.oneof(
      fc.constant('loopback'),
      fc.ipV4(),
      fc.ipV4().map((ip) => `${ip}/8`),
      fc.domain(),
    )
    fc.assert(
      fc.property(fc.ipV4(), fc.array(entry), entry, (ip, egress, more) => {
        if (isAllowed(ip, egress)) expect(isAllowed(ip, [...egress, more])).toBe(true)
      }),
    )
  })
})
