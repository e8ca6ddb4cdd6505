import { lookup as dnsLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isAllowed } from '#core/egress/classify.ts'
import { bareHost, redactUrl } from '#core/egress/url.ts'
import { OperatorError } from '#core/operator.ts'

export interface ResolvedAddress {
  address: string
  family: number
}

/** Resolves every address of a host name. A port, so that tests can fake DNS. */
export type Lookup = (host: string) => Promise<ResolvedAddress[]>

/** A URL together with the only addresses that a connection for it may use. */
export interface Target {
  url: URL
  host: string
  addresses: ResolvedAddress[]
}

export const systemLookup: Lookup = (host) => dnsLookup(host, { all: true, verbatim: true })

/** Parses, resolves once and checks every address; one refused address refuses the target (`egress_denied`). */
export async function resolveTarget(
  text: string,
  egress: string[],
  lookup: Lookup,
  signal?: AbortSignal,
): Promise<Target> {
  const url = readUrl(text)
  const host = bareHost(url.hostname)
  const addresses = isIP(host) === 0 ? await resolveName(host, lookup, signal) : [{ address: host, family: isIP(host) }]
  const refused = addresses.find(({ address }) => !isAllowed(address, egress, host))
  if (refused !== undefined) {
    throw new OperatorError('egress_denied', whyRefused(host, refused.address), {
      details: { host, address: refused.address, sent: false },
    })
  }
  return { url, host, addresses }
}

/** Returns why an address was refused, and what would open it; nothing opens the metadata addresses of a machine. */
function whyRefused(host: string, address: string): string {
  const at = host === address ? address : `${host} is at ${address}, which`
  const words = ['loopback', host, address].filter((word) => isAllowed(address, [word], host))
  const remedy = words[0] === undefined ? '' : `: \`egress: [${words[0]}]\` in its file would`
  return `${at} is not public, and this environment does not open it${remedy}`
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new OperatorError('egress_denied', `not an http or https url: ${redactUrl(text)}`, {
      details: { sent: false },
    })
  }
  if (url.username !== '' || url.password !== '') {
    throw new OperatorError('egress_denied', `credentials do not belong in a url: ${redactUrl(text)}`, {
      details: { sent: false },
    })
  }
  return url
}

async function resolveName(host: string, lookup: Lookup, signal?: AbortSignal): Promise<ResolvedAddress[]> {
  const addresses = await unlessAborted(lookup(host), signal).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause
    throw new OperatorError('unreachable', `${host} cannot be resolved`, {
      retryable: true,
      cause,
      details: { host, sent: false },
    })
  })
  if (addresses.length > 0) return addresses
  throw new OperatorError('unreachable', `${host} has no address`, { retryable: true, details: { host, sent: false } })
}

/** A DNS query cannot be recalled; the caller stops waiting for it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
