import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { DomainError } from '#core/errors.ts'
import type { Ids } from '#core/id.ts'
import type { Api } from './app.ts'
import { problemResponse } from './problem.ts'

export interface ApiServer {
  /** base address, with the port that was really taken */
  url: string
  /** Stops accepting requests, lets running ones finish within `drain_ms`, then cuts the rest. */
  close(): Promise<void>
}

export interface ServeOptions {
  host: string
  port: number
  ids: Ids
  /** called when the drain begins: open streams have to end themselves */
  onDrain: () => void
  drain_ms?: number
}

/**
 * Longer than load balancers and clients keep an idle connection, which is a minute as a rule: a server that closes first resets a request
 * that is on its way, and a POST that was reset is not sent again.
 */
const KEEP_ALIVE_MS = 75_000

/** Connections that may wait to be accepted: beyond it the kernel drops them, and a sender tries again after 1, 3 and 7 seconds (511 by default). */
const MAX_BACKLOG = 4_096

/** Listens until closed; rejects with a message for people when the port cannot be taken. */
export async function serveApi(app: Api, options: ServeOptions): Promise<ApiServer> {
  const listener = getRequestListener(app.fetch, {
    hostname: options.host,
    errorHandler: () =>
      problemResponse(new DomainError('invalid_path', 'The request line or the Host header cannot be understood.'), {
        instance: '',
        request_id: options.ids.next('request'),
      }),
  })
  const server = createServer(
    { requestTimeout: 60_000, keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: 16_384 },
    listener,
  )
  const port = await listen(server, options)
  const name = options.host.includes(':') ? `[${options.host}]` : options.host
  let closing: Promise<void> | undefined
  return {
    url: `http://${name}:${port}`,
    close() {
      closing ??= drain(server, options)
      return closing
    },
  }
}

function listen(server: Server, { host, port }: ServeOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(explain(error, host, port), { cause: error })),
    )
    server.listen({ host, port, backlog: MAX_BACKLOG }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken. Stop what listens there, or set SVC_PORT to another port.`
  if (error.code === 'EACCES') return `Port ${port} may not be used by this user. Set SVC_PORT to a port above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `This machine has no address ${host}. Set SVC_HOST.`
  return `Cannot listen on ${host}:${port}: ${error.message}`
}

async function drain(server: Server, options: ServeOptions): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  options.onDrain()
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), options.drain_ms ?? 5_000)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
