import { setTimeout as pause } from 'node:timers/promises'
import type { Adversary } from './adversary.ts'
import type { GateRow } from './evidence.ts'
import { expectedStatus } from './expected-status.ts'
import type { HonestRun } from './honest/runs.ts'
import { REFUSED, sureClaims } from './invariants/refusals-are-on-record.ts'
import type { World } from './world.ts'

/** what was delayed by a task that was taken and kept has until here: its timeout, that of a workflow task, and some */
const SETTLE_MS = 40_000
/** what others have answered for is waited for no longer than this */
const SEIZED_MS = 10_000

/** Waits until every run is where it should be or was stopped, and claims are on record; what is not by the end is a finding. */
export async function settled(
  { service }: World,
  runs: HonestRun[],
  total: number,
  { attempts, harmed }: Adversary,
): Promise<void> {
  const { db } = service.database
  const began = Date.now()
  for (; Date.now() < began + SETTLE_MS; await pause(200)) {
    const ids = runs.map(({ id }) => id)
    if (ids.length < total) continue
    const rows = await db<{ id: string; status: string; ended: boolean }[]>`
      select id, status, ended_at is not null as ended from runs where id = any(${ids})`
    const waiting = rows.some(({ id, status, ended }) => {
      const run = runs.find((each) => each.id === id)
      const harms = harmed.filter((each) => each.run_id === id).map(({ harm }) => harm)
      if (run === undefined || status === expectedStatus(run) || (ended && harms.length > 0)) return false
      return !harms.includes('seized') || Date.now() < began + SEIZED_MS
    })
    if (waiting) continue
    const gates = await db<GateRow[]>`select id, status from gates where run_id = any(${ids})`
    const seen = await db<{ run_id: string }[]>`
      select distinct draft ->> 'run_id' as run_id from audit_outbox where draft ->> 'action' = ${REFUSED}`
    const claimed = ids.filter((id) => sureClaims({ attempts, harmed, gates }, id).length > 0)
    if (claimed.every((id) => seen.some(({ run_id }) => run_id === id))) return
  }
}
