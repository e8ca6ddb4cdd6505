import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One request that went through and how it was answered; status 502 when the service was not there. */
export interface Relayed {
  body: string
  status: number
  answer: string
}

export interface Relay {
  url: string
  seen: readonly Relayed[]
  /** answers when what is under way has been answered too */
  stop(): Promise<void>
}

/** Stands between a sender and a service and keeps what both said; changes nothing. */
export async function startRelay(target: string): Promise<Relay> {
  const seen: Relayed[] = []
  const underWay = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const passing = pass(target, request, response, seen).finally(() => underWay.delete(passing))
    underWay.add(passing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async stop() {
      await Promise.all(underWay)
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function pass(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  seen: Relayed[],
): Promise<void> {
  const body = await text(request).catch(() => undefined)
  // the sender has left before it was done
  if (body === undefined) return
  const { authorization, 'content-type': type = 'application/json' } = request.headers
  const { status, answer } = await fetch(`${target}${request.url}`, {
    method: 'POST',
    headers: { 'content-type': type, ...(authorization !== undefined && { authorization }) },
    body,
  }).then(
    async (reply) => ({ status: reply.status, answer: await reply.text() }),
    (error: unknown) => ({ status: 502, answer: JSON.stringify({ error: String(error) }) }),
  )
  seen.push({ body, status, answer })
  response.writeHead(status, { 'content-type': 'application/json' }).end(answer)
}
