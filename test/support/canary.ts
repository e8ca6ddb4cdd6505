import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Canary {
  port: number
  url: string
  /** TCP connections so far, whether or not a request followed */
  connections(): number
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
  stop(): Promise<void>
}

/** A listener on every loopback address that counts who comes; `answer` defaults to 200. */
export async function startCanary(
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end('ok'),
): Promise<Canary> {
  let connections = 0
  const requests: Canary['requests'] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    answer(request, response)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    requests,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** The addresses that were asked for: the engine may give up a slow execution, and its request is repeated under the same key. */
export const effectsAt = ({ requests }: Canary) => [
  ...new Map(requests.map(({ url, headers }) => [`${headers['idempotency-key']} ${url}`, url])).values(),
]
