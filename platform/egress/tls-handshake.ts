import { isIP } from 'node:net'
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect,
  type DetailedPeerCertificate,
  type TLSSocket,
} from 'node:tls'
import { OperatorError } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import type { Target } from './resolve-target.ts'
import { pinned } from './send-hop.ts'

const WITHIN_MS = 10_000
const MAX_CERTIFICATES = 10
const MAX_NAMES = 200
const NAME_CHARS = 500
const DAY_MS = 86_400_000

export interface HandshakeRequest {
  host: string
  port: number
  /** the name that is asked for (SNI, RFC 6066) and that the certificate is compared with */
  server_name: string
  /** further names that the certificate is compared with */
  names?: string[]
  /** PEM; its certificates are trusted, and no others */
  ca?: string
  egress: string[]
  signal?: AbortSignal
}

export type Certificate = {
  subject: string
  issuer: string
  serial: string
  /** SHA-256 of the certificate, in hex */
  fingerprint: string
  not_before: string
  not_after: string
}

/** A certificate that is not accepted is a finding, not a failure. */
export type Handshake = Certificate & {
  address: string
  protocol: string
  cipher: string
  verified: boolean
  /** why it is not accepted */
  reason?: string
  /** the DNS names and addresses that it is for */
  names: string[]
  /** of those that were asked about, the ones that it is not for */
  uncovered: string[]
  /** common name and organisation of the issuer */
  issuer_names: string[]
  days_left: number
  /** the leaf first */
  chain: Certificate[]
}

/** Makes one TLS handshake with a checked address, reads the certificates and closes; nothing else is sent. */
export async function tlsHandshake(target: Target, request: HandshakeRequest): Promise<Handshake> {
  const at = `${request.host}:${request.port}`
  const name = request.server_name
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const options: ConnectionOptions = {
      host: target.host,
      port: request.port,
      lookup: pinned(target.addresses),
      // an address is no server name
      servername: isIP(name) === 0 ? name : '',
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      ...(request.ca === undefined ? {} : { ca: request.ca }),
    }
    const opened = connect(options, () => resolve(opened))
    const stop = () => opened.destroy(request.signal?.reason)
    request.signal?.addEventListener('abort', stop, { once: true })
    if (request.signal?.aborted === true) stop()
    opened.setTimeout(WITHIN_MS, () => opened.destroy(new Error(`no answer within ${WITHIN_MS / 1_000} seconds`)))
    opened.on('error', reject)
    opened.on('close', () => {
      request.signal?.removeEventListener('abort', stop)
      reject(new Error('it closed the connection'))
    })
  }).catch((error: unknown) => {
    throw noHandshake(at, error, request.signal)
  })
  try {
    const certificate = socket.getPeerCertificate(true)
    if (certificate.raw === undefined) throw unreachable(`${at} shows no certificate`, false, undefined)
    return found(socket, certificate, request)
  } finally {
    // the server sees a handshake that is complete
    socket.end(() => socket.destroy())
  }
}

function found(
  socket: TLSSocket,
  leaf: DetailedPeerCertificate,
  { server_name, names = [] }: HandshakeRequest,
): Handshake {
  const mismatched = checkServerIdentity(server_name, leaf) !== undefined
  const problems = [
    ...(socket.authorized ? [] : [problemText(String(socket.authorizationError))]),
    ...(mismatched ? [`it is not for ${server_name}`] : []),
  ]
  return {
    address: socket.remoteAddress ?? '',
    protocol: socket.getProtocol() ?? '',
    cipher: socket.getCipher().standardName,
    verified: problems.length === 0,
    ...(problems.length === 0 ? {} : { reason: problems.join('; ') }),
    ...described(leaf),
    names: namesOf(leaf),
    uncovered: names.filter((name) => checkServerIdentity(name, leaf) !== undefined),
    issuer_names: [leaf.issuer.CN, leaf.issuer.O].flat().filter((name) => name !== undefined),
    days_left: Math.floor((Date.parse(leaf.valid_to) - Date.now()) / DAY_MS),
    chain: chainOf(leaf).map(described),
  }
}

/** A root is its own issuer. */
function chainOf(leaf: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = []
  let next: DetailedPeerCertificate | undefined = leaf
  while (next !== undefined && chain.length < MAX_CERTIFICATES && !chain.includes(next)) {
    chain.push(next)
    next = next.issuerCertificate
  }
  return chain
}

function described({
  subject,
  issuer,
  serialNumber,
  fingerprint256,
  valid_from,
  valid_to,
}: DetailedPeerCertificate): Certificate {
  return {
    subject: distinguishedName(subject),
    issuer: distinguishedName(issuer),
    serial: serialNumber,
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    not_before: new Date(valid_from).toISOString(),
    not_after: new Date(valid_to).toISOString(),
  }
}

function distinguishedName(parts: object): string {
  return cutText(
    Object.entries(parts)
      .flatMap(([name, value]) => [value].flat().map((each) => `${name}=${each}`))
      .join(', '),
    NAME_CHARS,
  )
}

function namesOf({ subjectaltname = '' }: DetailedPeerCertificate): string[] {
  return subjectaltname
    .split(', ')
    .flatMap((each) => /^(?:DNS|IP Address):(.+)$/.exec(each)?.[1] ?? [])
    .slice(0, MAX_NAMES)
    .map((name) => cutText(name, NAME_CHARS))
}

const PROBLEMS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its root is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known here, and the server does not send it',
}

function problemText(code: string): string {
  const said = PROBLEMS[code]
  return said === undefined ? `it is not accepted (${code})` : `${said} (${code})`
}

function noHandshake(at: string, error: unknown, signal: AbortSignal | undefined): OperatorError {
  if (signal?.aborted === true) {
    return new OperatorError('aborted', `the handshake with ${at} was stopped`, { retryable: true, cause: error })
  }
  const reason = error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error)
  const speaks = !/^(EPROTO|ERR_SSL_)|before secure TLS connection was established$/.test(
    `${reason}${error instanceof Error ? ` ${error.message}` : ''}`,
  )
  return speaks
    ? unreachable(`${at}: ${reason}`, true, error)
    : unreachable(`${at} makes no TLS handshake (${reason})`, false, error)
}

function unreachable(message: string, retryable: boolean, cause: unknown): OperatorError {
  return new OperatorError('unreachable', message, { retryable, cause, details: { sent: false } })
}
