import { X509Certificate } from 'node:crypto'
import { DomainError } from '#core/errors.ts'
import { createLru } from '#core/lru.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'

const HOST = /^sns\.[a-z0-9-]{3,40}\.amazonaws\.com(\.cn)?$/
const PATH = /^\/SimpleNotificationService-[A-Za-z0-9]{1,100}\.pem$/
const MAX_BYTES = 64 * 1024
const TIMEOUT_MS = 5_000
const MAX_CACHED = 32

/** The certificates by which Amazon SNS signs. */
export interface SnsCertificates {
  /** undefined when the address is not one of SNS, or its certificate is not valid now; throws `dependency_unavailable` */
  find(url: string): Promise<X509Certificate | undefined>
}

/** Fetches certificates from the hosts of SNS and nowhere else, and keeps them: an address never changes its content. */
export function createSnsCertificates(egress: Pick<EgressClient, 'request'>, now: () => number): SnsCertificates {
  const known = createLru<string, Promise<X509Certificate>>(MAX_CACHED)

  function load(url: string): Promise<X509Certificate> {
    const before = known.get(url)
    if (before !== undefined) return before
    const loading = fetchCertificate(egress, url)
    known.set(url, loading)
    loading.catch(() => known.delete(url))
    return loading
  }

  return {
    async find(address) {
      const url = snsAddress(address)
      if (url === undefined) return undefined
      const certificate = await load(url)
      const at = now()
      const isValid = Date.parse(certificate.validFrom) <= at && at <= Date.parse(certificate.validTo)
      return isValid && certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate : undefined
    },
  }
}

function snsAddress(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  const isBare = url.port === '' && url.search === '' && url.hash === ''
  return isBare && HOST.test(url.hostname) && PATH.test(url.pathname) ? url.href : undefined
}

async function fetchCertificate(egress: Pick<EgressClient, 'request'>, url: string): Promise<X509Certificate> {
  const limits = { max_bytes: MAX_BYTES, max_redirects: 0, signal: AbortSignal.timeout(TIMEOUT_MS) }
  try {
    const { status, body } = await egress.request({ method: 'GET', url, egress: [], ...limits })
    if (status !== 200) throw new Error(`it answered ${status}`)
    return new X509Certificate(body)
  } catch (cause) {
    throw new DomainError(
      'dependency_unavailable',
      'The signing certificate cannot be fetched.',
      { retry_after_s: 30 },
      { cause },
    )
  }
}
