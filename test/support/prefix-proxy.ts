import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that puts a service below a path of its own, as many companies do. */
export async function startPrefixProxy(
  target: string,
  prefix: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((asked, answer) => {
    const path = asked.url?.startsWith(`${prefix}/`) ? asked.url.slice(prefix.length) : undefined
    if (path === undefined) return void answer.writeHead(404).end()
    const onward = request(`${target}${path}`, { method: asked.method, headers: asked.headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(answer)
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
