import { createServer as createPlainServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTlsProbe } from '#activities/operators/tls/probe.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { selfSigned } from '#test/support/self-signed.ts'
import { startTestCa } from '#test/support/test-ca.ts'

const operator = createTlsProbe({ egress: createEgressClient() })
const DAY_MS = 86_400_000
const stops: (() => unknown)[] = []
let ca: Awaited<ReturnType<typeof startTestCa>>
let shop: { cert: string; key: string }

beforeAll(async () => {
  ca = await startTestCa()
  shop = await ca.issue(['DNS:shop.test', 'DNS:*.shop.test', 'IP:127.0.0.1'])
})
afterAll(() => ca.stop())
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A server that counts the bytes that it is sent after the handshake. */
async function serve(certificate: { cert: string; key: string }) {
  const seen = { names: [] as unknown[], bytes: 0 }
  const server = createServer(certificate, (socket) => {
    seen.names.push(socket.servername)
    socket.on('data', (chunk) => {
      seen.bytes += chunk.byteLength
    })
    socket.on('error', () => undefined)
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => server.close())
  return { port: (server.address() as AddressInfo).port, seen }
}

const expired = () => {
  const valid = { from: new Date(Date.now() - 20 * DAY_MS), to: new Date(Date.now() - 9.5 * DAY_MS) }
  const { certificate, private_key } = selfSigned('old.test', valid)
  return { cert: certificate, key: private_key.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

const run = async (input: JsonObject, changes: Parameters<typeof operatorContext>[0] = { egress: ['loopback'] }) =>
  (await operator.execute(operatorContext(changes), operator.parse({ host: '127.0.0.1', ...input }))).outputs

describe('tls.probe', () => {
  it('reads what the server shows, and sends nothing', async () => {
    const { port, seen } = await serve(shop)
    const outputs = await run({ port, server_name: 'shop.test', ca: ca.certificate })
    expect(outputs).toEqual({
      ...{ host: '127.0.0.1', port, server_name: 'shop.test', address: '127.0.0.1', reachable: true },
      ...{ protocol: 'TLSv1.3', cipher: expect.stringMatching(/^TLS_/), verified: true },
      ...{ subject: 'CN=shop', issuer: 'O=svc tests, CN=svc test root' },
      serial: expect.stringMatching(/^[0-9A-F]+$/),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      not_before: expect.stringMatching(/Z$/),
      not_after: expect.stringMatching(/Z$/),
      names: ['shop.test', '*.shop.test', '127.0.0.1'],
      days_left: 19,
      chain: [
        expect.objectContaining({ subject: 'CN=shop' }),
        expect.objectContaining({ subject: 'O=svc tests, CN=svc test root' }),
      ],
    })
    await expect.poll(() => seen).toEqual({ names: ['shop.test'], bytes: 0 })
  })

  it.each<[string, JsonObject, RegExp]>([
    ['from an authority that is not known', {}, /^its issuer is not known here.*\(UNABLE_TO_/],
    ['for another name', { server_name: 'bank.test', trusted: true }, /^it is not for bank\.test$/],
  ])('says why a certificate %s is not accepted, as a result', async (_what, { trusted, ...input }, reason) => {
    const { port } = await serve(shop)
    const asked = { port, ...(trusted === undefined ? {} : { ca: ca.certificate }), ...input }
    expect(await run(asked)).toMatchObject({ verified: false, reason: expect.stringMatching(reason) })
    const message = expect.stringContaining(`127.0.0.1:${port}`)
    await expect(run({ ...asked, verify: true })).rejects.toMatchObject({
      ...{ code: 'verify_failed', retryable: false, message },
      details: { verified: false, subject: 'CN=shop' },
    })
  })

  it('counts the days since a certificate expired', async () => {
    const { port } = await serve(expired())
    expect(await run({ port, server_name: 'old.test' })).toMatchObject({ verified: false, days_left: -10, names: [] })
    await expect(run({ port, server_name: 'old.test', expect: { days_left: 0 } })).rejects.toMatchObject({
      code: 'verify_failed',
      message: expect.stringContaining('-10 days are left, fewer than 0'),
    })
  })

  it.each<[JsonObject, string | undefined]>([
    [{ names: ['shop.test', 'www.shop.test', '127.0.0.1'], issuer: 'svc test root', days_left: 19 }, undefined],
    [{ issuer: 'svc tests' }, undefined],
    [{ names: ['shop.test', 'bank.test'] }, 'it is not for bank.test'],
    [{ issuer: 'Another root' }, 'its issuer is O=svc tests, CN=svc test root, not Another root'],
    [{ days_left: 30 }, '19 days are left, fewer than 30'],
  ])('holds it against %j', async (expected, failure) => {
    const { port } = await serve(shop)
    const work = run({ port, server_name: 'shop.test', expect: expected })
    if (failure === undefined) expect(await work).toMatchObject({ subject: 'CN=shop' })
    else await expect(work).rejects.toMatchObject({ code: 'verify_failed', message: expect.stringContaining(failure) })
  })

  it('fails where there is nothing to read', async () => {
    const plain = createPlainServer()
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const { port } = plain.address() as AddressInfo
    await expect(run({ port })).rejects.toMatchObject({ code: 'unreachable', retryable: false })
    await new Promise((resolve) => plain.close(resolve))
    await expect(run({ port })).rejects.toMatchObject({ code: 'unreachable', retryable: true })
  })

  it('tells that there is nothing to read where that is asked for', async () => {
    const { port } = await serve(shop)
    for (const stop of stops.splice(0)) stop()
    const reason = expect.stringContaining(`127.0.0.1:${port}: ECONNREFUSED`)
    await expect
      .poll(() => run({ port, accept_unreachable: true }))
      .toEqual({
        ...{ host: '127.0.0.1', port, server_name: '127.0.0.1', reachable: false, verified: false, reason },
      })
    const denied = run({ port, accept_unreachable: true }, {})
    await expect(denied).rejects.toMatchObject({ code: 'egress_denied' })
    expect(() => operator.parse({ host: 'shop.test', accept_unreachable: true, verify: true })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
  })

  it('asks nobody whom the environment does not open, and stops when it is told', async () => {
    const { port, seen } = await serve(shop)
    await expect(run({ port }, {})).rejects.toMatchObject({ code: 'egress_denied' })
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
    const named = createTlsProbe({ egress: createEgressClient({ lookup }) })
    const input = named.parse({ host: 'shop.test', port })
    await expect(named.execute(operatorContext(), input)).rejects.toMatchObject({ code: 'egress_denied' })
    const signal = AbortSignal.abort()
    await expect(run({ port }, { egress: ['loopback'], signal })).rejects.toMatchObject({ code: 'aborted' })
    expect(seen.names).toEqual([])
  })

  it('goes to the address that was checked, whatever the name says later', async () => {
    const { port, seen } = await serve(shop)
    let lookups = 0
    const lookup = async () => {
      lookups += 1
      return [{ address: lookups === 1 ? '127.0.0.1' : '192.0.2.1', family: 4 }]
    }
    const named = createTlsProbe({ egress: createEgressClient({ lookup }) })
    const ctx = operatorContext({ egress: ['shop.test'] })
    const { outputs } = await named.execute(ctx, named.parse({ host: 'shop.test', port, ca: ca.certificate }))
    expect([outputs, lookups]).toMatchObject([{ verified: true, address: '127.0.0.1' }, 1])
    await expect.poll(() => seen.names).toEqual(['shop.test'])
  })

  it('shows what it will read, and a dry run connects to nobody', async () => {
    const { port, seen } = await serve(shop)
    const input = operator.parse({ host: '127.0.0.1', port, server_name: 'shop.test' })
    expect(operator.describe(input, { idempotency_key: 'k' })).toEqual({
      summary: `read the certificate of 127.0.0.1:${port} as shop.test`,
      targets: { kind: 'tls', ids: [`127.0.0.1:${port}`] },
      command: `openssl s_client -connect 127.0.0.1:${port} -servername shop.test -showcerts`,
    })
    expect(await operator.simulate?.(operatorContext({ egress: ['loopback'] }), input)).toMatchObject({ ok: true })
    expect(await operator.simulate?.(operatorContext(), input)).toMatchObject({
      ok: false,
      details: { code: 'egress_denied' },
    })
    expect(seen.names).toEqual([])
  })

  it.each(['shop.test; rm -rf /', 'user@shop.test', '', 'shop test', '/etc/passwd'])('refuses the host %j', (host) => {
    expect(() => operator.parse({ host })).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })
})
