import type { LedgerActivities, RunClaim, RunStart } from '#core/contract.ts'
import type { EndedWorkflows } from '#platform/temporal/ended-workflows.ts'
import type { OverdueQueries } from '#store/overdue.ts'
import type { RunStore } from '#store/runs.ts'

const EVERY_MS = 2_000
/** The workflow's own timer is given this long before the sweep takes over. */
const GATE_GRACE_MS = 15_000
const UNSTARTED_MS = 3_000
const QUIET_MS = 120_000
const BATCH = 100

export interface SweepDeps {
  runs: RunStore
  overdue: OverdueQueries
  start(run: RunStart): Promise<void>
  workflows: EndedWorkflows
  expireGate: LedgerActivities['expireGate']
  closeRun: LedgerActivities['closeRun']
  /** puts on record how many claims were refused since they were last reported */
  reportClaims(): Promise<void>
  /** forgets idempotency keys past their time */
  purgeKeys(): Promise<void>
  /** forgets what skills fired on past its time */
  purgeFirings(): Promise<void>
  /** forgets processed deliveries past their time */
  purgeInbox(): Promise<unknown>
  /** forgets signed deliveries past their time */
  purgeDeliveries(): Promise<unknown>
  /** forgets what became of the times of schedules past its time */
  purgeScheduleFirings(): Promise<unknown>
  leading(): boolean
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Repairs what timers and callers cannot see: lost starts, gates past their time, workflows ended from outside. */
export function createSweeps(deps: SweepDeps) {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let round = 0
  let current: Promise<void> = Promise.resolve()

  async function startLost(): Promise<void> {
    const lost = await deps.runs.findUnstarted(UNSTARTED_MS, BATCH)
    const started: string[] = []
    for (const run of lost) {
      await deps.start(run)
      started.push(run.run_id)
    }
    if (started.length === 0) return
    await deps.runs.markStarted(started)
    deps.log.info({ count: started.length }, 'started runs whose start was lost')
  }

  async function expireOverdue(): Promise<void> {
    for (const gate of await deps.overdue.expiredGates(GATE_GRACE_MS, BATCH)) {
      await deps.expireGate(gate)
      deps.log.warn({ run_id: gate.run_id, gate_id: gate.gate_id }, 'expired a gate that its timer had not')
    }
  }

  async function closeOrphans(): Promise<void> {
    await closeWithout(await deps.overdue.quietRuns(QUIET_MS, BATCH))
  }

  /** What was ended from outside is among the few that the engine lists as ended; nobody else is asked for. */
  async function closeEnded(): Promise<void> {
    await closeWithout(await deps.overdue.activeAmong(await deps.workflows.lately()))
  }

  async function closeWithout(runs: RunClaim[]): Promise<void> {
    for (const claim of runs) {
      if (await deps.workflows.alive(claim.run_id)) continue
      const error = { code: 'engine_lost', message: 'the workflow was ended from outside, or its engine lost it' }
      await deps.closeRun({ ...claim, error })
      deps.log.warn({ run_id: claim.run_id }, 'closed a run whose workflow is gone')
    }
  }

  async function sweep(): Promise<void> {
    round += 1
    const jobs: (() => Promise<unknown>)[] = [
      startLost,
      expireOverdue,
      closeEnded,
      ...(round % 15 === 0
        ? [
            closeOrphans,
            deps.reportClaims,
            deps.purgeKeys,
            deps.purgeFirings,
            deps.purgeInbox,
            deps.purgeDeliveries,
            deps.purgeScheduleFirings,
          ]
        : []),
    ]
    for (const job of jobs) {
      await job().catch((error: unknown) =>
        deps.log.warn({ job: job.name, error: String(error) }, 'a sweep did not finish'),
      )
    }
  }

  function next(): void {
    timer = setTimeout(() => {
      current = (deps.leading() ? sweep() : Promise.resolve()).finally(() => {
        if (!stopped) next()
      })
    }, EVERY_MS)
  }

  return {
    start: next,
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
