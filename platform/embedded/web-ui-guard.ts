import { createServer, request } from 'node:http'
import { whyForeign } from '#core/loopback-request.ts'

export interface WebUiGuard {
  url: string
  stop(): Promise<void>
}

/**
 * Stands before the Web UI of the dev server, which answers whatever `Host` it is called by and gives its CSRF token to
 * every reader: only a browser of this machine that was sent here by a person gets through.
 */
export function guardWebUi(port: number, hidden: { host: string; port: number }): Promise<WebUiGuard> {
  const server = createServer((asked, answer) => {
    const { host, origin, 'sec-fetch-site': site } = asked.headers
    const reason = whyForeign({ method: asked.method ?? '', host, origin, site: site?.toString() })
    if (reason !== undefined) return answer.writeHead(403, { 'content-type': 'text/plain' }).end(`${reason}\n`)
    const headers = { ...asked.headers, host: `${hidden.host}:${hidden.port}` }
    const passed = request({ ...hidden, method: asked.method, path: asked.url, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(answer)
    })
    passed.on('error', () => {
      if (answer.headersSent) return answer.destroy()
      return answer.writeHead(502, { 'content-type': 'text/plain' }).end('The Temporal Web UI does not answer.\n')
    })
    answer.on('close', () => passed.destroy())
    return asked.pipe(passed)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped())
            server.closeAllConnections()
          }),
      }),
    )
  })
}
