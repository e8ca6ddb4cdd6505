import { type Load, loadWith } from './http-load.ts'
import { openLoad } from './open-load.ts'
import type { BenchStack } from './stack.ts'

export interface Storm {
  alerts: number
  fingerprints: number
  /** connections that wait for their answer before they send again */
  concurrency: number
  /** requests a second, independent of the answers */
  per_s?: number
}

/** until the code is compiled and the connections to the database are open */
export const WARM: Storm = { alerts: 4_000, fingerprints: 20, concurrency: 64 }

/** Every fingerprint once at least, one of them 30 % of all, the others in turn. */
export function fingerprintsOf({ alerts, fingerprints }: Storm): number[] {
  const hot = Math.floor(alerts * 0.3)
  return Array.from({ length: alerts }, (_, n) => {
    const spread = (n * 7_919) % alerts
    return spread < hot ? 0 : (spread - hot) % fingerprints
  })
}

export function bodyOf(services: string[], member: string): string {
  const alerts = services.map((service) => ({
    status: 'firing',
    labels: { alertname: 'BenchStorm', service, severity: 'critical', instance: 'web-1.example.test:9100' },
    annotations: { summary: `${service} answers too slowly`, description: 'p99 has been over 2 s for 5 minutes' },
    startsAt: '2026-01-05T10:30:00.123Z',
    generatorURL: 'http://prometheus.example.test/graph?g0.expr=up',
    fingerprint: member,
  }))
  return JSON.stringify({ version: '4', groupKey: '{}:{}', receiver: 'svc', status: 'firing', alerts })
}

export function storm(url: string, name: string, options: Storm): Promise<Load> {
  const order = fingerprintsOf(options)
  const { alerts: amount, concurrency: connections, per_s } = options
  const body = (n: number) => bodyOf([`${name}-${order[n]}`], `member-${n}`)
  return per_s === undefined ? loadWith(url, { amount, connections, body }) : openLoad(url, { amount, per_s, body })
}

/** Waits until the runs of one block are done, so that they do not slow the next one. */
export async function settled({ db }: BenchStack): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const [row] = await db<
      { busy: number }[]
    >`select count(*)::int as busy from runs where status in ('queued', 'running')`
    if (row?.busy === 0) return
    if (performance.now() > deadline) throw new Error(`${row?.busy} runs have not parked`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
