import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const S3_KEY = 'AKIATEST:svc'
export const S3_SECRET = 'barley/openbarley+of/the=tests'

export interface HeldObject {
  body: Buffer
  content_type: string
  metadata: Record<string, string>
  /** base64; undefined where the server keeps no checksums */
  sha256: string | undefined
}

export interface S3ServerOptions {
  bucket?: string
  region?: string
  /** keeps the checksum that an object was put with; default true */
  checksums?: boolean
  /** knows If-None-Match of a put; default true */
  conditions?: boolean
}

interface Refusal {
  status: number
  code: string
}

const sha256 = (data: string | Buffer, encoding: 'hex' | 'base64' = 'hex') =>
  createHash('sha256').update(data).digest(encoding)
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

/** Returns a small S3 server with one bucket. It checks every signature (SigV4, of headers and of presigned urls) by its own code. */
export async function startS3Server(options: S3ServerOptions = {}) {
  const { bucket = 'kept', region = 'eu-test-1', checksums = true, conditions = true } = options
  const objects = new Map<string, HeldObject>()
  const requests: { method: string; key: string; headers: Record<string, string> }[] = []
  const refusals: Refusal[] = []

  function answer(request: IncomingMessage, url: URL, body: Buffer): Refusal | HeldObject | 'done' | 'list' {
    const method = request.method ?? ''
    const [, named = '', ...rest] = url.pathname.split('/').map(decodeURIComponent)
    const key = rest.join('/')
    const header = (name: string) => String(request.headers[name] ?? '')
    requests.push({
      method,
      key,
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    })
    const queued = refusals.shift()
    if (queued !== undefined) return queued
    const unsigned = refusedSignature(request, url, region)
    if (unsigned !== undefined) return unsigned
    if (named !== bucket) return { status: 404, code: 'NoSuchBucket' }
    if (method === 'GET' && url.searchParams.get('list-type') === '2') return 'list'
    const there = objects.get(key)
    if (method === 'GET' || method === 'HEAD') return there ?? { status: 404, code: 'NoSuchKey' }
    if (method === 'DELETE') {
      objects.delete(key)
      return 'done'
    }
    if (header('x-amz-content-sha256') !== sha256(body)) return { status: 400, code: 'XAmzContentSHA256Mismatch' }
    const claimed = header('x-amz-checksum-sha256')
    if (claimed !== '' && claimed !== sha256(body, 'base64')) return { status: 400, code: 'BadDigest' }
    if (header('if-none-match') !== '' && !conditions) return { status: 501, code: 'NotImplemented' }
    if (header('if-none-match') === '*' && there !== undefined) return { status: 412, code: 'PreconditionFailed' }
    const metadata = Object.entries(request.headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
    )
    objects.set(key, {
      body,
      content_type: header('content-type'),
      metadata: Object.fromEntries(metadata),
      sha256: checksums && claimed !== '' ? claimed : undefined,
    })
    return 'done'
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '', `http://${request.headers.host}`)
      reply(request, response, url, answer(request, url, Buffer.concat(chunks)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`
  const config = { endpoint, region, bucket, access_key_id: S3_KEY }
  return {
    endpoint,
    objects,
    requests,
    /** config of a connection to it */
    config,
    /** url of a connection to it, as a file has it */
    url(prefix = '', secret = S3_SECRET): string {
      const user = `${encodeURIComponent(S3_KEY)}:${encodeURIComponent(secret)}`
      return `s3+http://${user}@127.0.0.1:${port}/${bucket}/${prefix}?region=${region}`
    },
    /** what the next requests are answered instead */
    refuse(...next: Refusal[]): void {
      refusals.push(...next)
    },
    /** puts other bytes in the place of an object, as somebody with access to the bucket does */
    swap(key: string, text: string): void {
      const there = objects.get(key)
      if (there === undefined) throw new Error(`there is no object ${key}`)
      const body = Buffer.from(text)
      objects.set(key, { ...there, body, sha256: there.sha256 && sha256(body, 'base64') })
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>

function reply(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  found: Refusal | HeldObject | 'done' | 'list',
): void {
  if (found === 'list') {
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end('<?xml version="1.0"?><ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>')
  } else if (found === 'done') response.writeHead(request.method === 'DELETE' ? 204 : 200, { etag: '"kept"' }).end()
  else if ('status' in found) {
    response.writeHead(found.status, { 'content-type': 'application/xml' })
    // a text of its own: it must not come into any record
    const text = `<Error><Code>${found.code}</Code><Message>the server says ${S3_SECRET}</Message></Error>`
    response.end(request.method === 'HEAD' ? undefined : text)
  } else {
    const { body, content_type, metadata, sha256: kept } = found
    const disposition = url.searchParams.get('response-content-disposition')
    response.writeHead(200, {
      'content-type': url.searchParams.get('response-content-type') ?? content_type,
      'content-length': String(body.byteLength),
      'last-modified': 'Mon, 05 Jan 2026 09:30:00 GMT',
      etag: '"kept"',
      ...(disposition !== null && { 'content-disposition': disposition }),
      ...(kept !== undefined &&
        request.headers['x-amz-checksum-mode'] === 'ENABLED' && { 'x-amz-checksum-sha256': kept }),
      ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value])),
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

function refusedSignature(request: IncomingMessage, url: URL, region: string): Refusal | undefined {
  const query = url.searchParams
  const presigned = query.has('X-Amz-Signature')
  const header = String(request.headers.authorization ?? '')
  const field = (name: string) => new RegExp(`${name}=([^, ]+)`).exec(header)?.[1] ?? ''
  const credential = presigned ? (query.get('X-Amz-Credential') ?? '') : field('Credential')
  const names = (presigned ? (query.get('X-Amz-SignedHeaders') ?? '') : field('SignedHeaders')).split(';')
  const signature = presigned ? query.get('X-Amz-Signature') : field('Signature')
  const at = presigned ? (query.get('X-Amz-Date') ?? '') : String(request.headers['x-amz-date'] ?? '')
  const [key, day = '', signedRegion, service] = credential.split('/')
  if (credential === '') return { status: 403, code: 'AccessDenied' }
  if (key !== S3_KEY) return { status: 403, code: 'InvalidAccessKeyId' }
  if (signedRegion !== region || service !== 's3') return { status: 400, code: 'AuthorizationHeaderMalformed' }
  if (presigned && Date.now() > timeOf(at) + Number(query.get('X-Amz-Expires')) * 1_000)
    return { status: 403, code: 'AccessDenied' }
  if (!names.includes('host')) return { status: 403, code: 'AccessDenied' }
  const pairs = [...query].filter(([name]) => name !== 'X-Amz-Signature')
  const canonical = [
    request.method,
    url.pathname,
    pairs
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    presigned ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256']),
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')
  const signing = hmac(hmac(hmac(hmac(`AWS4${S3_SECRET}`, day), region), 's3'), 'aws4_request')
  return signature === hmac(signing, text).toString('hex') ? undefined : { status: 403, code: 'SignatureDoesNotMatch' }
}

function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
