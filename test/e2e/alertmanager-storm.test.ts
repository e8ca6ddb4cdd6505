import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { STORM_RULES, stormFingerprint } from '#test/support/alert-storm.ts'
import { CRASH_PACKS } from '#test/support/crash-service.ts'
import { startWatchedLab, type WatchedLab } from '#test/support/lab-run.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { proveFold, proveOneActive, proveTimelines } from '#test/support/prove-fold.ts'
import type { RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

/** `SVC_STORM=200` is the whole storm; the small one is for every day. */
const ALERTS = Number(process.env['SVC_STORM'] ?? 60)
/** times that Alertmanager has to send every alert */
const SENT = 3

let service: TestService
let lab: WatchedLab

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: CRASH_PACKS },
    files: { 'rules/storm.yaml': STORM_RULES },
  })
  lab = await startWatchedLab(service)
})
afterAll(async () => {
  await lab?.stop()
  await service?.stop()
})

/** What Alertmanager has sent and was told is taken, by fingerprint. */
function accepted(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { body, status } of lab.relay.seen) {
    const { alerts } = JSON.parse(body) as { alerts: { status: string; labels: { service: string } }[] }
    for (const { labels } of status === 202 ? alerts.filter((alert) => alert.status === 'firing') : []) {
      const fingerprint = stormFingerprint(labels.service)
      counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1)
    }
  }
  return counts
}

test(
  `${ALERTS} distinct alerts that Alertmanager groups and sends again and again: one run each, its repeats folded, exact counts`,
  needs('prometheus', 'alertmanager'),
  async () => {
    const alerts = Array.from({ length: ALERTS }, (_, n) => ({
      labels: { alertname: 'FoldStorm', service: `storm-${n}`, instance: `node-${n}`, severity: 'high' },
      annotations: { url: lab.demo.url },
    }))
    const posted = await fetch(`${lab.alertmanager_url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    })
    expect(posted.status).toBe(200)
    await vi.waitFor(() => {
      const counts = [...accepted().values()]
      expect(counts).toHaveLength(ALERTS)
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(SENT)
    }, PATIENCE)
    await service.until<RunBody[]>(
      '/runs?status=awaiting_approval&limit=200',
      (runs) => runs.length === ALERTS,
      PATIENCE.timeout,
    )
    await lab.stop()

    expect(new Set(lab.relay.seen.map(({ status }) => status))).toEqual(new Set([202]))
    const { db } = service.database
    const [counted] = await db<{ runs: number; fingerprints: number }[]>`
    select count(*)::int as runs, count(distinct fingerprint)::int as fingerprints from runs`
    expect(counted).toEqual({ runs: ALERTS, fingerprints: ALERTS })
    await proveFold(db, accepted())
    await proveOneActive(db)
    await proveTimelines(db, service.home)
    expect(lab.demo.state().calls).toBe(0)
  },
)
