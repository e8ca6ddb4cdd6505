import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP line to a server that can be cut and mended. */
export interface CutLine {
  /** host:port of this end */
  address: string
  /** ends every connection and takes no other */
  cut(): void
  mend(): void
  stop(): Promise<void>
}

/** Lays a line to `target`, a host:port. */
export async function layLine(target: string): Promise<CutLine> {
  const { hostname, port } = new URL(`tcp://${target}`)
  const ends = new Set<Socket>()
  let whole = true
  const server = createServer((near) => {
    if (!whole) {
      near.resetAndDestroy()
      return
    }
    const far = connect(Number(port), hostname)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      end.on('error', () => undefined)
      end.once('close', () => {
        ends.delete(end)
        other.destroy()
      })
      end.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  const cut = () => {
    whole = false
    for (const end of ends) end.destroy()
  }
  return {
    address: `127.0.0.1:${bound.port}`,
    cut,
    mend: () => {
      whole = true
    },
    async stop() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
