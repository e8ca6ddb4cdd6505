import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the target treats a call that it has received and counted. */
export const TREATMENTS = {
  ok: (response: ServerResponse) => response.end('{}'),
  late: (response: ServerResponse) => setTimeout(() => response.end('{}'), 60),
  lost: (response: ServerResponse) => response.destroy(),
  never: () => undefined,
  broken: (response: ServerResponse) => response.writeHead(500).end(),
  away: (response: ServerResponse) => response.writeHead(503).end(),
  away_until: (response: ServerResponse) => response.writeHead(503, { 'retry-after': '1' }).end(),
  too_many: (response: ServerResponse) => response.writeHead(429).end(),
  refused: (response: ServerResponse) => response.writeHead(404).end(),
} satisfies Record<string, (response: ServerResponse) => unknown>
export type Treatment = keyof typeof TREATMENTS

export interface PaidTarget {
  url: string
  /** calls received, by the run that sent them, and by the path that they came to */
  received: { by_run: Map<string, number>; by_path: Map<string, number>; treated: Map<Treatment, number>; all: number }
  stop(): Promise<void>
}

/** A service that takes money for every call that reaches it, no matter what it answers. `on_call` looks on before the answer. */
export async function startPaidTarget(
  treat: (run: string, path: string) => Treatment,
  on_call: (run: string, path: string) => void = () => undefined,
): Promise<PaidTarget> {
  const received: PaidTarget['received'] = { by_run: new Map(), by_path: new Map(), treated: new Map(), all: 0 }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const run = String(request.headers['idempotency-key']).split(':')[0] ?? ''
    const path = request.url ?? ''
    count(received.by_run, run)
    count(received.by_path, path)
    received.all += 1
    on_call(run, path)
    const treatment = treat(run, path)
    count(received.treated, treatment)
    request.resume()
    TREATMENTS[treatment](response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
