import type { LedgerActivities, RunClaim, RunStart } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import type { Log } from '#core/log.ts'
import type { FailureCode } from '#core/run/failure-codes.ts'
import { lostRun } from '#core/run/lost-run.ts'
import { createLoop } from '#platform/program/create-loop.ts'
import type { RunWorkflows } from '#platform/temporal/run-workflows.ts'
import type { OverdueQueries } from '#store/overdue.ts'
import type { RunStore } from '#store/runs/runs.ts'
import { createMissedWakeups } from './missed-wakeups.ts'

const EVERY_MS = 2_000
/** The workflow's own timer is given this long before the sweep takes over. */
const GATE_GRACE_MS = 15_000
const UNSTARTED_MS = 3_000
/** The engine's list may be this late. */
const LISTED_AFTER_MS = 5_000
/** Rows of the list that a sweep reads. */
const LIST_ROWS = 2_000
const BATCH = 100

type LostRun = ReturnType<typeof lostRun> & { code: FailureCode }

export interface SweepDeps {
  runs: RunStore
  overdue: OverdueQueries
  start(run: RunStart): Promise<void>
  workflows: Pick<RunWorkflows, 'open' | 'alive' | 'wake'>
  expireGate: LedgerActivities['expireGate']
  closeRun(claim: RunClaim, error: LostRun): Promise<unknown>
  /** cancels remote jobs that nobody waits for; `all`: also finds those that the engine has lost */
  followRemoteJobs(all: boolean): Promise<unknown>
  /** charges model calls whose process died */
  settleLostModelCalls(): Promise<unknown>
  /** records the number of refusals since the last report */
  reportRefusals(): Promise<void>
  /** deletes expired refusals */
  purgeRefusals(): Promise<unknown>
  /** forgets idempotency keys past their time */
  purgeKeys(): Promise<unknown>
  /** forgets what skills fired on past its time */
  purgeFirings(): Promise<unknown>
  /** forgets processed deliveries past their time */
  purgeInbox(): Promise<unknown>
  /** forgets signed deliveries past their time */
  purgeDeliveries(): Promise<unknown>
  /** deletes ends of alerts that no late firing can follow */
  purgeAlertEnds(): Promise<unknown>
  /** forgets what became of the times of schedules past its time */
  purgeScheduleFirings(): Promise<unknown>
  /** deletes threads of the ask agent without a recent question */
  purgeAskThreads(): Promise<unknown>
  /** deletes runs that ended long ago, where configured */
  forgetRuns(): Promise<unknown>
  /** deletes objects in buckets whose artifacts were deleted */
  removeObjects(): Promise<unknown>
  leading(): boolean
  log: Pick<Log, 'info' | 'warn'>
}

/** Repairs what timers and callers cannot see: lost starts and approvals, gates past their time, workflows ended from outside. */
export function createSweeps(deps: SweepDeps) {
  let round = 0
  const listed = createListed(deps)
  const resendWakeups = createMissedWakeups(deps)

  async function startLost(): Promise<void> {
    const lost = await deps.runs.findUnstarted(UNSTARTED_MS, BATCH)
    const started: string[] = []
    await each(lost, 'a run whose start was lost could not be started', async (run) => {
      await deps.start(run)
      started.push(run.run_id)
    })
    if (started.length === 0) return
    await deps.runs.markStarted(started)
    deps.log.info({ count: started.length }, 'started runs whose start was lost')
  }

  async function expireOverdue(): Promise<void> {
    const gates = await deps.overdue.expiredGates(GATE_GRACE_MS, BATCH)
    await each(gates, 'a gate past its time could not be expired', async (gate) => {
      await deps.expireGate(gate)
      deps.log.warn({ run_id: gate.run_id, gate_id: gate.gate_id }, 'expired a gate that its timer had not')
    })
  }

  /**
   * Compares the active runs with the engine's list of open workflows, as far as one sweep comes, and looks up only those that the list
   * lacks: a workflow that ended in any way is missing there.
   */
  async function closeLost(): Promise<void> {
    const lost = await listed.missing()
    const claims = await deps.overdue.activeAmong(lost)
    await each(claims, 'a run without its workflow could not be closed', async ({ at, ...claim }) => {
      if (await deps.workflows.alive(claim.run_id)) return
      await deps.closeRun(claim, { code: 'engine_lost', ...lostRun(at) })
      deps.log.warn({ run_id: claim.run_id }, 'closed a run without its workflow')
    })
  }

  /** A failure does not delay the others; while the engine is unavailable, they wait for the next round. */
  async function each<Item extends { run_id: string }>(
    items: readonly Item[],
    failed: string,
    mend: (item: Item) => Promise<void>,
  ): Promise<void> {
    for (const item of items) {
      try {
        await mend(item)
      } catch (error) {
        if (isAway(error)) throw error
        deps.log.warn({ run_id: item.run_id, err: error }, failed)
      }
    }
  }

  async function sweep(): Promise<void> {
    round += 1
    const jobs: (() => Promise<unknown>)[] = [
      startLost,
      expireOverdue,
      resendWakeups,
      closeLost,
      deps.settleLostModelCalls,
      function followRemoteJobs() {
        return deps.followRemoteJobs(round % 15 === 0)
      },
      ...(round % 15 === 0
        ? [
            deps.reportRefusals,
            deps.purgeRefusals,
            deps.purgeKeys,
            deps.purgeFirings,
            deps.purgeInbox,
            deps.purgeDeliveries,
            deps.purgeAlertEnds,
            deps.purgeScheduleFirings,
            deps.purgeAskThreads,
            deps.forgetRuns,
            deps.removeObjects,
          ]
        : []),
    ]
    for (const job of jobs) {
      await job().catch((error: unknown) => deps.log.warn({ job: job.name, err: error }, 'a sweep did not finish'))
    }
  }

  const { log } = deps
  return createLoop({ first_ms: EVERY_MS, again_ms: EVERY_MS, failed: 'a sweep did not finish', log }, async () => {
    if (deps.leading()) await sweep()
    return EVERY_MS
  })
}

function isAway(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'dependency_unavailable'
}

/** One pass after the other through the engine's list, each beginning with the runs that were active then. */
function createListed({ overdue, workflows }: Pick<SweepDeps, 'overdue' | 'workflows'>) {
  let pass: { runs: Set<string>; open: AsyncGenerator<string> } | undefined
  let missing: string[] = []

  async function read(): Promise<void> {
    pass ??= { runs: new Set(await overdue.activeRuns(LISTED_AFTER_MS)), open: workflows.open() }
    for (let row = 0; row < LIST_ROWS; row += 1) {
      const { done, value } = await pass.open.next()
      if (done) {
        missing = [...pass.runs]
        pass = undefined
        return
      }
      pass.runs.delete(value)
    }
  }

  return {
    /** Returns some of the runs that the list did not have; empty while it is being read. */
    async missing(): Promise<string[]> {
      if (missing.length === 0) {
        await read().catch((error: unknown) => {
          pass = undefined
          throw error
        })
      }
      return missing.splice(0, BATCH)
    },
  }
}
