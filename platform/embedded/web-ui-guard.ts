import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { whyForeign } from '#core/loopback-request.ts'

/** Headers of one connection only (RFC 9110, section 7.6.1). Those that frame the body stay, or its end could move. */
const HOP_BY_HOP = new Set(['connection', 'expect', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'])

export interface WebUiGuard {
  url: string
  stop(): Promise<void>
}

/**
 * Protects the Web UI of the dev server, which accepts any `Host` and gives its CSRF token to every reader: only a browser of this machine,
 * on a person's own navigation, passes.
 */
export function guardWebUi(port: number, hidden: { host: string; port: number }): Promise<WebUiGuard> {
  const server = createServer((asked, answer) => {
    const { host, origin, 'sec-fetch-site': site } = asked.headers
    const { method = '', url: path = '' } = asked
    const reason = path.startsWith('/')
      ? whyForeign({ method, host, origin, site: site?.toString() })
      : 'This server is no proxy.'
    if (reason !== undefined) return answer.writeHead(403, { 'content-type': 'text/plain' }).end(`${reason}\n`)
    const headers = { ...passedOn(asked.headers), host: `${hidden.host}:${hidden.port}` }
    const passed = request({ ...hidden, method, path, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, passedOn(reply.headers))
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

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))
}
