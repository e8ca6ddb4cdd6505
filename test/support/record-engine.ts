import type { CancelCommand, GateCommand } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { createIds } from '#platform/ids.ts'
import { createCommandSeal } from '#platform/secret-box.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import type { RecordDeps } from '#services/approvals/record-deps.ts'
import type { Engine } from '#services/context.ts'
import { recordCancel } from '#services/runs/record-cancel.ts'
import type { Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createRunStore } from '#store/runs/runs.ts'

export const TEST_SEAL = createCommandSeal('a master key of the tests, long enough')

/** What writes decisions, over a real database. */
export function createRecordDeps(db: Db, changes: Partial<RecordDeps> = {}): RecordDeps {
  return {
    runs: createRunStore(db),
    decisions: createGateDecisions(db),
    audit: { offer: () => undefined },
    clock: Date.now,
    ids: createIds(),
    notifyRun: () => undefined,
    verify: TEST_SEAL.verify,
    open: true,
    signals_approve: true,
    ...changes,
  }
}

/** An engine without workflows: what is sent to a run goes to the record at once, as its workflow would take it there. */
export function createRecordEngine(
  deps: RecordDeps,
  { onDecide, onCancel }: { onDecide?(command: GateCommand): void; onCancel?(command: CancelCommand): void } = {},
): Engine {
  const claimOf = async (run_id: string) => {
    const run = await deps.decisions.runState(run_id)
    if (run === undefined) throw new DomainError('not_found', `no run ${run_id}`)
    return { run_id, workspace_id: run.workspace_id, lane: run.lane }
  }
  return {
    start: async () => {},
    async decide(run_id, command) {
      onDecide?.(command)
      const given: unknown = JSON.parse(JSON.stringify(command))
      const answer = await recordDecision(deps, { ...(await claimOf(run_id)), given })
      if ('refused' in answer) throw new DomainError(answer.refused, 'the record refused it')
      return answer
    },
    alive: async () => true,
    async cancel(run_id, command) {
      onCancel?.(command)
      const answer = await recordCancel(deps, {
        ...(await claimOf(run_id)),
        command: JSON.parse(JSON.stringify(command)),
      })
      if ('refused' in answer) throw new DomainError(answer.refused, 'the record refused it')
    },
  }
}
