import ipaddr from 'ipaddr.js'
import { didYouMean } from '../text/did-you-mean.ts'

/** Words that people write for what is open anyway, or is not opened by a word. */
const NO_WORDS: Record<string, string> = {
  public: 'public addresses are open anyway',
  internet: 'public addresses are open anyway',
  private: 'write the block, for example 10.0.0.0/8',
  internal: 'write the block, for example 10.0.0.0/8',
  all: 'write what is to be open: a block, an address or a host name',
  any: 'write what is to be open: a block, an address or a host name',
  none: 'an empty list opens nothing but public addresses',
}

/** Why an entry of `egress` opens nothing; undefined for `loopback`, a block, an address or the name of a host. */
export function egressProblem(entry: string): string | undefined {
  const word = entry.trim().toLowerCase()
  if (word === 'loopback' || ipaddr.isValidCIDR(word) || ipaddr.isValid(word)) return undefined
  if (Object.hasOwn(NO_WORDS, word)) return `opens no ${entry.trim()}: ${NO_WORDS[word]}`
  const hint = didYouMean(word, ['loopback'])
  if (hint !== '') return `opens no ${entry.trim()}${hint}`
  if (/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/.test(word)) return undefined
  return `${entry.trim()} is no block, no address and no host name: write 10.0.0.0/8, 10.1.2.3, db.internal or loopback`
}
