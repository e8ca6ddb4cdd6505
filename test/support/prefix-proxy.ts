import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * A proxy that puts a service below a path of its own, as many companies do. `change` makes it a dishonest one: what it answers for a
 * path replaces the body.
 */
export async function startPrefixProxy(
  target: string,
  prefix: string,
  change?: (path: string, body: string) => string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((asked, answer) => {
    const path = asked.url?.startsWith(`${prefix}/`) ? asked.url.slice(prefix.length) : undefined
    if (path === undefined) return void answer.writeHead(404).end()
    const onward = request(`${target}${path}`, { method: asked.method, headers: asked.headers }, (given) => {
      const { 'content-length': _length, ...headers } = given.headers
      if (change === undefined || !headers['content-type']?.includes('json')) {
        answer.writeHead(given.statusCode ?? 502, given.headers)
        given.pipe(answer)
      } else {
        answer.writeHead(given.statusCode ?? 502, headers)
        text(given).then(
          (body) => answer.end(change(path, body)),
          () => answer.destroy(),
        )
      }
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
