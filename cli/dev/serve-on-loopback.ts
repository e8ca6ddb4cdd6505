import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on loopback, on any free port without one. `stop` cuts what is open. */
export async function serveOnLoopback(server: Server, port = 0): Promise<{ url: string; stop(): Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
