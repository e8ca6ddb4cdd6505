import type { AuditDraft, AuditLine } from '#core/audit/types.ts'
import type { Ids } from '#core/id.ts'
import { type Clock, isoTime } from '#core/time/time.ts'
import type { GateDecisions } from '#store/gates/gate-decisions.ts'
import type { Recorded } from '#store/runs/run-answers.ts'
import type { RunStore } from '#store/runs/runs.ts'
import type { VotePorts } from './current-votes.ts'

/** The dependencies of the writers of decisions. */
export interface RecordDeps extends VotePorts {
  runs: Pick<RunStore, 'record'>
  decisions: GateDecisions
  audit: Pick<AuditLine, 'offer'>
  clock: Clock
  ids: Ids
  notifyRun(runId: string): void
}

/** Tells everybody who waits that something was written. */
export function announce(
  deps: Pick<RecordDeps, 'audit' | 'notifyRun'>,
  runId: string,
  drafts: AuditDraft[],
  recorded: Recorded,
): void {
  const places = new Map(recorded.audit.map((entry) => [entry.draft_id, entry.outbox_id]))
  deps.audit.offer(
    drafts.flatMap((draft) => {
      const outbox_id = places.get(draft.id)
      return outbox_id === undefined ? [] : [{ outbox_id, draft }]
    }),
  )
  deps.notifyRun(runId)
}

/** An audit draft about a run. */
export function draftOf(
  deps: Pick<RecordDeps, 'ids' | 'clock'>,
  run: { run_id: string; workspace_id: string },
  record: Pick<AuditDraft, 'category' | 'action' | 'actor' | 'data'> & Partial<Pick<AuditDraft, 'subject' | 'channel'>>,
): AuditDraft {
  return {
    id: deps.ids.next('audit'),
    ts: isoTime(deps.clock()),
    workspace_id: run.workspace_id,
    run_id: run.run_id,
    subject: { type: 'run', id: run.run_id },
    ...record,
  }
}
