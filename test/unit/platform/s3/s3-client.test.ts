import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { s3Location } from '#core/connection/kinds/s3-schema.ts'
import { OperatorError } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createS3Client } from '#platform/s3/s3-client.ts'
import { S3_SECRET, type S3Server, startS3Server } from '#test/support/s3-server.ts'

const s3 = createS3Client(createEgressClient())
let server: S3Server
let plain: S3Server

beforeAll(async () => {
  server = await startS3Server()
  plain = await startS3Server({ checksums: false, conditions: false })
})
afterAll(async () => {
  await server.close()
  await plain.close()
})
beforeEach(() => {
  server.objects.clear()
  server.requests.length = 0
})

const rules = (changes: object = {}) => ({ egress: ['loopback'], signal: new AbortController().signal, ...changes })
const placeIn = (held: S3Server, prefix = 'svc', secret = S3_SECRET) =>
  s3Location({ kind: 's3', url: held.url(prefix, secret) })
const location = () => placeIn(server)
const put = (key = 'a/b c+d.txt', text = 'kept', only_new = false, at = location()) =>
  s3.put(
    at,
    { key, body: Buffer.from(text), content_type: 'text/plain', metadata: { 'svc-run': 'run_1' }, only_new },
    rules(),
  )
const failure = async (work: Promise<unknown>): Promise<OperatorError> => {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error instanceof OperatorError) return error
  throw new Error(`expected an OperatorError, got ${String(error)}`)
}

describe('an object', () => {
  test.each(['a', 'a/b c+d.txt', "it's (a) *key*!", 'größe/日本/😀', '%2e%2e/x', 'a?b#c&d=e'])(
    'of the key %j is put below the prefix, read back with its digest, and deleted',
    async (key) => {
      const { digest } = await put(key)
      expect([...server.objects.keys()]).toEqual([`svc/${key}`])
      const found = await s3.get(location(), { key, max_bytes: 100 }, rules())
      expect([Buffer.from(found.body).toString(), found.digest]).toEqual(['kept', digest])
      expect(await s3.head(location(), { key }, rules())).toMatchObject({
        ...{ size_bytes: 4, content_type: 'text/plain', sha256: digest, metadata: { 'svc-run': 'run_1' } },
      })
      await s3.remove(location(), { key }, rules())
      await s3.remove(location(), { key }, rules())
      expect(server.objects.size).toBe(0)
    },
  )

  test('that is not there is not found, with and without a body in the answer', async () => {
    for (const work of [
      () => s3.get(location(), { key: 'x', max_bytes: 9 }, rules()),
      () => s3.head(location(), { key: 'x' }, rules()),
    ])
      expect(await failure(work())).toMatchObject({ code: 'object_not_found', retryable: false })
  })

  test('with other bytes than are expected is handed to nobody', async () => {
    const { digest } = await put('a', 'kept')
    const read = (expect: object) =>
      s3.get(location(), { key: 'a', max_bytes: 100, expect: { digest, ...expect } }, rules())
    expect(Buffer.from((await read({ size_bytes: 4 })).body).toString()).toBe('kept')
    server.swap('svc/a', 'swap')
    expect((await failure(read({ size_bytes: 4 }))).code).toBe('object_mismatch')
    server.swap('svc/a', 'much longer')
    expect((await failure(read({ size_bytes: 4 }))).code).toBe('object_mismatch')
  })

  test('that is too large is not read', async () => {
    await put('a', 'x'.repeat(2_000))
    expect((await failure(s3.get(location(), { key: 'a', max_bytes: 1_000 }, rules()))).code).toBe('response_too_large')
  })

  test('is made new only where there is none; a server without conditions says so', async () => {
    await put('a', 'one', true)
    expect((await failure(put('a', 'two', true))).code).toBe('object_exists')
    expect(server.objects.get('svc/a')?.body.toString()).toBe('one')
    const unknown = await failure(put('a', 'one', true, placeIn(plain)))
    expect(unknown).toMatchObject({ code: 's3_refused', message: expect.stringContaining('condition') })
  })

  test('without a checksum of the server has none', async () => {
    await put('a', 'one', false, placeIn(plain))
    expect(await s3.head(placeIn(plain), { key: 'a' }, rules())).not.toHaveProperty('sha256')
  })
})

describe('a presigned url', () => {
  const presigned = (expires_s = 60) =>
    s3.presign(location(), {
      key: 'a b',
      expires_s,
      content_type: 'text/markdown',
      disposition: 'attachment; filename="a"',
    })

  test('is made without a request, serves the object as a download, and not another one', async () => {
    await put('a b', 'kept')
    await put('other', 'not for you')
    const asked = server.requests.length
    const url = await presigned()
    expect(server.requests).toHaveLength(asked)
    expect(url).not.toContain(encodeURIComponent(S3_SECRET))
    const answer = await fetch(url)
    expect([answer.status, await answer.text()]).toEqual([200, 'kept'])
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a"')
    expect(answer.headers.get('content-type')).toBe('text/markdown')
    for (const changed of [url.replace('a%20b', 'other'), url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000')])
      expect((await fetch(changed)).status).toBe(403)
  })

  test('ends', async () => {
    await put('a b', 'kept')
    const url = await presigned(1)
    expect((await fetch(url)).status).toBe(200)
    await expect.poll(async () => (await fetch(url)).status).toBe(403)
  })
})

describe('a refusal', () => {
  test.each<[string, () => ReturnType<typeof location>, string, string]>([
    ['a wrong secret', () => placeIn(server, 'svc', 'wrong'), 'login_refused', 'does not match'],
    ['an unknown access key', () => ({ ...location(), access_key_id: 'NOBODY' }), 'login_refused', 'NOBODY'],
    ['another bucket', () => ({ ...location(), bucket: 'missing' }), 'object_not_found', 'there is no bucket missing'],
    ['another region', () => ({ ...location(), region: 'eu-else-1' }), 's3_refused', 'region eu-else-1'],
  ])('for %s is told in our words', async (_what, at, code, says) => {
    for (const work of [() => s3.probe(at(), rules()), () => s3.get(at(), { key: 'a', max_bytes: 9 }, rules())]) {
      const error = await failure(work())
      expect(error).toMatchObject({ code, retryable: false, message: expect.stringContaining(says) })
      expect(JSON.stringify([error.message, error.details])).not.toContain(S3_SECRET)
    }
  })

  test.each([
    [503, 'SlowDown'],
    [500, 'InternalError'],
    [429, 'TooManyRequests'],
  ])('of a server that is busy (%i) may be tried again, and is not by the client', async (status, code) => {
    server.refuse({ status, code })
    expect(await failure(put())).toMatchObject({ code: 'dependency_unavailable', retryable: true })
    expect(server.requests).toHaveLength(1)
  })

  test('by the egress rules sends nothing, nor does one of what is asked right before', async () => {
    const closed = rules({ egress: [] })
    expect((await failure(s3.probe(location(), closed))).code).toBe('egress_denied')
    const stopped = rules({ beforeSending: () => Promise.reject(new OperatorError('aborted', 'stopped')) })
    expect((await failure(s3.probe(location(), stopped))).code).toBe('aborted')
    expect(server.requests).toEqual([])
  })

  test('nobody waits for a server that was given up', async () => {
    expect(await failure(s3.probe(location(), rules({ signal: AbortSignal.abort() })))).toMatchObject({
      code: 'aborted',
    })
    expect(server.requests).toEqual([])
  })
})

test('the list of one key says that a bucket can be used', async () => {
  await s3.probe(location(), rules())
  expect(server.requests.map(({ method, key }) => [method, key])).toEqual([['GET', '']])
})

test('nothing of the machine says where or as whom', async () => {
  const before = { ...process.env }
  Object.assign(process.env, { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: 'OTHER', AWS_REGION: 'else' })
  try {
    await s3.probe(location(), rules())
  } finally {
    process.env = before
  }
})
