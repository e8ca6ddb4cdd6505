import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP line to a server that can be cut and mended. */
export interface CutLine {
  /** host:port of this end */
  address: string
  /** ends every connection and takes no other */
  cut(): void
  mend(): void
  /** says nothing on either side any more, to those who connect either */
  swallow(): void
  /** hands over what it has swallowed */
  resume(): void
  stop(): Promise<void>
}

/** Lays a line to `target`, a host:port. */
export async function layLine(target: string): Promise<CutLine> {
  const { hostname, port } = new URL(`tcp://${target}`)
  const ends = new Set<Socket>()
  const piped = new Map<Socket, Socket>()
  let whole = true
  let silent = false
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
      if (!silent) end.pipe(other)
      piped.set(end, other)
      end.once('close', () => piped.delete(end))
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
    swallow() {
      silent = true
      for (const [end, other] of piped) end.unpipe(other).pause()
    },
    resume() {
      if (!silent) return
      silent = false
      for (const [end, other] of piped) end.pipe(other)
    },
    async stop() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
