import { X509Certificate } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { createSecureContext, createServer as createTlsServer } from 'node:tls'
import { serveOnLoopback } from '#cli/dev/serve-on-loopback.ts'
import { makeRequest, startTestCa } from './test-ca.ts'

type Ca = Awaited<ReturnType<typeof startTestCa>>
type Pair = { cert: string; key: string }
type Answer = [status: number, body: object]

/**
 * What `sre/cert-expiry` talks to, on loopback: an authority that signs over HTTP, and a host with a TLS server and the hook that swaps its
 * certificate. The private keys stay in the host.
 */
export async function startCertificateLab(names = ['DNS:shop.test', 'IP:127.0.0.1'], port = 0) {
  const ca = await startTestCa()
  const authority = await startAuthority(ca)
  const host = await startHost(names, await ca.issue(names, 5), port)
  return {
    ca: ca.certificate,
    authority,
    host,
    async stop(): Promise<void> {
      await authority.stop()
      await host.stop()
      await ca.stop()
    },
  }
}

async function startAuthority(ca: Ca) {
  const state = {
    /** in place of the names of the request */
    names: undefined as string[] | undefined,
    /** in place of a certificate */
    answer: undefined as string | undefined,
    signed: [] as string[],
  }
  const { url, stop } = await serveJson(async (route, body): Promise<Answer> => {
    if (route !== 'POST /sign') return [404, { error: 'not found' }]
    const csr = String(body['csr'])
    state.signed.push(csr)
    return [200, { certificate: state.answer ?? (await ca.sign(csr, { names: state.names, days: 30 })) }]
  })
  return { url, stop, state }
}

function fingerprintOf({ cert }: Pair): string {
  return new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase()
}

async function startHost(names: string[], first: Pair, wantedPort: number) {
  const state = {
    current: first,
    before: first,
    next: undefined as { csr: string; key: string } | undefined,
    /** once something is installed it no longer serves; fails and serves what it did; does not put back what was before */
    fault: undefined as 'breaks' | 'fails' | 'forgets' | undefined,
    /** status after an installation, in place of 200; 0: the connection is cut */
    installed: undefined as number | undefined,
    /** in place of a request */
    answer: undefined as string | undefined,
    calls: [] as string[],
  }
  let tls = await listen(first, wantedPort)
  const { port } = tls.address() as AddressInfo

  async function serve(pair: Pair): Promise<void> {
    createSecureContext(pair)
    state.current = pair
    if (!tls.listening) tls = await listen(pair, port)
    tls.setSecureContext(pair)
  }

  const { url, stop } = await serveJson(async (route, body): Promise<Answer> => {
    state.calls.push(route)
    if (route === 'GET /csr') {
      state.next ??= await makeRequest(names)
      return [200, { csr: state.answer ?? state.next.csr }]
    }
    if (route === 'POST /certificate') {
      const [before, key] = [state.current, state.next?.key]
      if (key === undefined) return [409, { error: 'there was no request' }]
      if (state.fault === 'fails') return [500, { error: 'it cannot be read' }]
      await serve({ cert: String(body['certificate']), key })
      Object.assign(state, { before, next: undefined })
      if (state.fault === 'breaks') await new Promise((resolve) => tls.close(resolve))
      return [state.installed ?? 200, { installed: true }]
    }
    if (route !== 'POST /restore') return [404, { error: 'not found' }]
    // an installation that never came here has nothing to take back
    const isServed = tls.listening && fingerprintOf(state.current) === body['fingerprint']
    if (state.fault !== 'forgets' && !isServed) await serve(state.before)
    return [200, { restored: true }]
  })
  return {
    url,
    port,
    state,
    serve,
    async stop(): Promise<void> {
      await stop()
      await new Promise((resolve) => tls.close(resolve))
    },
  }
}

async function listen(pair: Pair, port: number) {
  const server = createTlsServer(pair, (socket) => {
    socket.on('error', () => undefined)
    socket.end()
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

function serveJson(answer: (route: string, body: Record<string, unknown>) => Promise<Answer>) {
  const server = createServer((request, response) => {
    reply(request).then(
      ([status, body]) => {
        if (status === 0) request.socket.destroy()
        else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      },
      (error: unknown) => response.writeHead(422).end(String(error)),
    )
  })
  const reply = async (request: IncomingMessage) => {
    const body = request.method === 'POST' ? ((await json(request)) as Record<string, unknown>) : {}
    return await answer(`${request.method} ${request.url?.split('?', 1)[0]}`, body)
  }
  return serveOnLoopback(server)
}
