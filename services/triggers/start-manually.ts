import type { z } from 'zod'
import type { Run } from '#core/run/schema.ts'
import type { StartContext } from '../context.ts'
import type { ReadPorts } from '../read-ports.ts'
import { admitRun } from '../runs/admit-run.ts'
import { awaitRun } from '../runs/await-run.ts'
import type { Admission } from '../runs/draft-run.ts'
import { getRun } from '../runs/get-run.ts'
import type { EventHub } from '../runs/watch-events.ts'

export interface ManualStart extends Omit<Admission, 'trigger' | 'fingerprint' | 'alerts' | 'human_root'> {
  wait: boolean
  wait_timeout_s: number
}

export interface ManualPorts {
  hub: EventHub
  /** the caller has left */
  signal: AbortSignal
}

/** What a start by hand is answered with: the full run when it was waited for and ended in time, else where it stands. */
export type ManualOutcome =
  | { ended: true; run: z.infer<typeof Run> }
  | { ended: false; run_id: string; status: z.infer<typeof Run>['status'] }

/** Starts a template by hand. A wait ends with the run, at its next gate, after its time, or when the caller leaves. */
export async function startManually(
  ctx: StartContext & ReadPorts,
  { wait_timeout_s, ...start }: ManualStart,
  { hub, signal }: ManualPorts,
): Promise<ManualOutcome> {
  const { run_id } = await admitRun(ctx, { ...start, trigger: { type: 'manual' } })
  await awaitRun(hub, { workspace_id: ctx.workspace_id, run_id, timeout_ms: wait_timeout_s * 1_000, signal })
  const run = await getRun(ctx, run_id)
  return run.ended_at === undefined ? { ended: false, run_id, status: run.status } : { ended: true, run }
}
