import ipaddr from 'ipaddr.js'
import { didYouMean } from '../text/did-you-mean.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Ranges that a listed host name opens. Link-local is not among them: a name must never reach a metadata service. */
const OPENED_BY_NAME = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal'])

/** Global unicast (RFC 4291 section 2.4); everything outside of it is special. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/** NAT64 (RFC 6052 section 2.1): the last 32 bits name the IPv4 address that is reached. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')

/** Globally routable by number, answered by the hypervisor: the platform endpoint of one large cloud. */
const CLOUD_PLATFORM = ipaddr.parseCIDR('168.63.129.16/32')

/** Tells whether an address is plain public unicast. Tunnels (6to4, Teredo), special ranges and anything unreadable are not. */
export function isPublicAddress(ip: string): boolean {
  const address = readAddress(ip)
  if (address === undefined || address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' ? !matches(address, CLOUD_PLATFORM) : matches(address, GLOBAL_UNICAST)
}

/**
 * Tells whether an operator may connect to `ip`: public, or opened by `egress` (CIDR blocks, single addresses, `loopback`, host names). A
 * host name opens the private and loopback addresses that it resolves to, when it is the `host` of the URL; never link-local ones.
 */
export function isAllowed(ip: string, egress: string[], host?: string): boolean {
  const address = readAddress(ip)
  if (address === undefined) return false
  return isPublicAddress(ip) || egress.some((entry) => opens(entry.trim(), address, host))
}

function opens(entry: string, address: Address, host: string | undefined): boolean {
  if (entry === 'loopback') return address.range() === 'loopback'
  const block = readBlock(entry)
  if (block !== undefined) return matches(address, block)
  return host !== undefined && sameHost(entry, host) && OPENED_BY_NAME.has(address.range())
}

/** An IPv4 address inside an IPv6 one (mapped, NAT64) is judged as its target. */
function readAddress(ip: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(ip)) return ipaddr.IPv4.parse(ip)
  if (!ip.includes(':') || !ipaddr.IPv6.isValid(ip)) return undefined
  const address = ipaddr.IPv6.parse(ip)
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return matches(address, NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

function readBlock(entry: string): [Address, number] | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  const address = readAddress(entry)
  return address === undefined ? undefined : [address, address.kind() === 'ipv4' ? 32 : 128]
}

function matches(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

function sameHost(entry: string, host: string): boolean {
  return canonicalHost(entry) === canonicalHost(host)
}

function canonicalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

/** Words for targets that are open anyway, or cannot be opened by a word. */
const INVALID_ENTRIES: Record<string, string> = {
  public: 'public addresses are open anyway',
  internet: 'public addresses are open anyway',
  private: 'write the block, for example 10.0.0.0/8',
  internal: 'write the block, for example 10.0.0.0/8',
  all: 'write what is to be open: a block, an address or a host name',
  any: 'write what is to be open: a block, an address or a host name',
  none: 'an empty list opens nothing but public addresses',
}

/** Returns what is wrong with an entry of `egress`; undefined for `loopback`, a block, an address or a host name. */
export function egressProblem(entry: string): string | undefined {
  const word = entry.trim().toLowerCase()
  if (word === 'loopback' || ipaddr.isValidCIDR(word) || ipaddr.isValid(word)) return undefined
  if (Object.hasOwn(INVALID_ENTRIES, word)) return `opens no ${entry.trim()}: ${INVALID_ENTRIES[word]}`
  const hint = didYouMean(word, ['loopback'])
  if (hint !== '') return `opens no ${entry.trim()}${hint}`
  if (/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/.test(word)) return undefined
  return `${entry.trim()} is no block, no address and no host name: write 10.0.0.0/8, 10.1.2.3, db.internal or loopback`
}

/** Tells whether only this machine can reach `host`. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}
