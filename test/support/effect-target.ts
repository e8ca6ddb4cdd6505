import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Effect {
  /** `run:step:attempt` or whatever the caller sent to be known again */
  key: string
  run: string
  path: string
  at_ms: number
}

export interface EffectTarget {
  url: string
  /** every call that it has received */
  calls: Effect[]
  /** calls that were no repeats, by their Idempotency-Key */
  effects(): Effect[]
  of(run: string): Effect[]
  /** calls to such paths wait for their answer until they are let go; answers how */
  hold(isHeld: (path: string) => boolean): () => void
  stop(): Promise<void>
}

/** A service on which something happens with every call, once for each Idempotency-Key. */
export async function startEffectTarget(): Promise<EffectTarget> {
  const calls: Effect[] = []
  let isHeld: (path: string) => boolean = () => false
  let held: ServerResponse[] = []
  const server = createServer((request, response) => {
    const key = String(request.headers['idempotency-key'] ?? '')
    const path = request.url ?? ''
    calls.push({ key, run: key.split(':')[0] ?? '', path, at_ms: Date.now() })
    request.resume()
    if (isHeld(path)) held.push(response)
    else response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const effects = () => [...new Map(calls.map((call) => [call.key, call])).values()]
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    effects,
    of: (run) => effects().filter((each) => each.run === run),
    hold(which) {
      isHeld = which
      return () => {
        isHeld = () => false
        for (const response of held) response.end('{}')
        held = []
      }
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
