import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { OperatorError, type OperatorResult } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createS3Client } from '#platform/s3/s3-client.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { S3_KEY, S3_SECRET, type S3Server, startS3Server } from '#test/support/s3-server.ts'

const egress = createEgressClient()
const catalog = createOperators({ egress, s3: createS3Client(egress) })
let server: S3Server
beforeAll(async () => {
  server = await startS3Server()
})
afterAll(() => server.close())
beforeEach(() => {
  server.objects.clear()
  server.requests.length = 0
})

const operator = (name: string) => {
  const found = catalog.get(`s3.${name}`)
  if (found === undefined) throw new Error(name)
  return found
}
const context = (changes: Parameters<typeof operatorContext>[0] = {}) =>
  operatorContext({ egress: ['loopback'], connections: { store: server.url('svc') }, ...changes })
const parsed = (name: string, input: JsonObject) => operator(name).parse({ connection: 'store', ...input })
const run = (name: string, input: JsonObject, ctx = context()): Promise<OperatorResult> =>
  operator(name).execute(ctx, parsed(name, input))
const simulate = async (name: string, input: JsonObject, ctx = context()) =>
  await operator(name).simulate?.(ctx, parsed(name, input))
const refused = async (work: Promise<unknown>): Promise<OperatorError> => {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error instanceof OperatorError) return error
  throw new Error(`expected an OperatorError, got ${String(error)}`)
}

describe('s3.put', () => {
  it('writes the same object with every attempt, and says what it is', async () => {
    const input = { key: 'reports/a.json', json: { b: 1, a: 'é' } }
    const first = await run('put', input)
    expect((await run('put', input, context({ attempt: 2 }))).outputs).toEqual(first.outputs)
    const held = server.objects.get('svc/reports/a.json')
    expect(held).toMatchObject({ content_type: 'application/json', metadata: { 'svc-step': 'run_1:act' } })
    expect(held?.body.toString()).toBe('{"a":"é","b":1}')
    expect(first.outputs).toMatchObject({ key: 'reports/a.json', size_bytes: 16, digest: /^sha256:/ })
  })

  it('makes a new object once: a repetition finds its own, another step does not', async () => {
    const input = { key: 'once', text: 'mine', only_new: true }
    const first = await run('put', input)
    expect((await run('put', input)).outputs['digest']).toBe(first.outputs['digest'])
    const other = context({ idempotency_key: 'run_2:act' })
    expect((await refused(run('put', { ...input, text: 'theirs' }, other))).code).toBe('object_exists')
    expect(await simulate('put', input, other)).toMatchObject({ ok: false })
    expect(server.objects.get('svc/once')?.body.toString()).toBe('mine')
  })

  it('predicts without writing', async () => {
    const input = { key: 'a', text: 'new' }
    expect(await simulate('put', input)).toMatchObject({ ok: true, summary: 'would write a new object of 3 bytes' })
    expect(server.objects.size).toBe(0)
    await run('put', { key: 'a', text: 'older' })
    expect(await simulate('put', input)).toMatchObject({ ok: true, summary: 'would replace an object of 5 bytes' })
    const denied = await simulate('put', input, context({ egress: [] }))
    expect(denied).toMatchObject({ ok: false, details: { code: 'egress_denied' } })
  })

  it('sends nothing where it may not act now', async () => {
    const ctx = context({ beforeSending: () => Promise.reject(new DomainError('halted', 'no')) })
    await expect(run('put', { key: 'a', text: 'x' }, ctx)).rejects.toThrow()
    expect(server.requests).toEqual([])
  })

  it('shows what it sends, and its secret by the name of the connection', () => {
    const plan = operator('put').describe(parsed('put', { key: 'a b', text: "it's", only_new: true }), {
      idempotency_key: 'run_1:act',
      connection: { id: 'store', kind: 's3', url: server.url('svc'), target: { kind: 's3', host: 'x', user: S3_KEY } },
    })
    expect(plan.targets).toEqual({ kind: 'object', ids: [`${server.endpoint}/kept/svc/a%20b`] })
    expect(JSON.stringify(plan)).not.toContain(encodeURIComponent(S3_SECRET))
    expect(
      [plan.command]
        .flat(2)
        .map((each) => (typeof each === 'string' ? each : '<store>'))
        .join(''),
    ).toBe(
      `curl -X PUT '${server.endpoint}/kept/svc/a%20b' -H 'content-type: text/plain; charset=utf-8' -H 'x-amz-meta-svc-step: run_1:act' -H 'if-none-match: *' -H 'authorization: <store>' --data-raw 'it'\\''s'`,
    )
  })
})

describe('s3.get', () => {
  it('brings text, JSON or an artifact, and says why there is none', async () => {
    await run('put', { key: 'a', text: 'said' })
    await run('put', { key: 'b', json: [1, { n: 12 }] })
    await run('put', { key: 'c', text: 'no json', content_type: 'application/json' })
    expect((await run('get', { key: 'a' })).outputs).toMatchObject({ text: 'said', size_bytes: 4, etag: 'kept' })
    expect((await run('get', { key: 'b' })).outputs).toMatchObject({ json: [1, { n: 12 }] })
    expect((await run('get', { key: 'c' })).outputs).toMatchObject({ text: 'no json', problem: expect.any(String) })
    server.objects.set('svc/d', {
      body: Buffer.from([0xff, 0]),
      content_type: 'image/png',
      metadata: {},
      sha256: undefined,
    })
    expect((await run('get', { key: 'd' })).outputs).toMatchObject({ problem: expect.stringContaining('no text') })
    const { outputs, artifacts } = await run('get', { key: 'd', artifact: 'shot.png' })
    expect(artifacts).toEqual([{ name: 'shot.png', media_type: 'image/png', body: expect.any(Uint8Array) }])
    expect(outputs).toMatchObject({ artifact: 'shot.png', size_bytes: 2 })
  })

  it('fails where the bytes are not those of the digest, or too many', async () => {
    const { outputs } = await run('put', { key: 'a', text: 'said' })
    const digest = String(outputs['digest'])
    expect((await run('get', { key: 'a', digest })).outputs).toMatchObject({ text: 'said', digest })
    server.swap('svc/a', 'swapped')
    expect((await refused(run('get', { key: 'a', digest }))).code).toBe('object_mismatch')
    expect((await refused(run('get', { key: 'a', max_bytes: 3 }))).code).toBe('response_too_large')
    expect((await refused(run('get', { key: 'x' }))).code).toBe('object_not_found')
  })

  it('is a read, whatever its input', () => {
    expect([operator('get').action_type, operator('put').action_type]).toEqual(['read', 's3.write'])
    expect(operator('presign').action_type).toBe('s3.share')
  })
})

describe('s3.presign', () => {
  it('shares one object that is there, for a while', async () => {
    await run('put', { key: 'a', text: 'said' })
    const { outputs } = await run('presign', { key: 'a', expires: '2m', file_name: 'said.txt' })
    expect(outputs).toMatchObject({ key: 'a', expires_s: 120, size_bytes: 4 })
    const answer = await fetch(String(outputs['url']))
    expect([await answer.text(), answer.headers.get('content-disposition')]).toEqual([
      'said',
      'attachment; filename="said.txt"',
    ])
    expect((await refused(run('presign', { key: 'missing' }))).code).toBe('object_not_found')
    expect(await simulate('presign', { key: 'missing' })).toMatchObject({ ok: false })
  })
})

it.each<[string, string, JsonObject]>([
  ['put', 'a key that leaves the prefix', { key: '../a', text: 'x' }],
  ['put', 'an absolute key', { key: '/a', text: 'x' }],
  ['put', 'no content', { key: 'a' }],
  ['put', 'two contents', { key: 'a', text: 'x', json: {} }],
  ['get', 'a digest of another kind', { key: 'a', digest: 'md5:x' }],
  ['get', 'more than it may hold', { key: 'a', max_bytes: 17 * 1024 * 1024 }],
  ['presign', 'more than half a day', { key: 'a', expires: '13h' }],
])('s3.%s refuses %s', (name, _what, input) => {
  expect(() => parsed(name, input)).toThrow(DomainError)
})

it.each(['get', 'put', 'presign'])('s3.%s takes no connection of another kind', (name) => {
  const input = parsed(name, { key: 'a', ...(name === 'put' && { text: 'x' }) })
  const http = { kind: 'http', url: 'https://a.example.com/' }
  expect(() => operator(name).applyConnection?.(input, http)).toThrow(OperatorError)
})
