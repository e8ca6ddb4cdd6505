import type { z } from 'zod'
import { runIdOfDelivery } from '#core/inbox/item.ts'
import type { Run } from '#core/run/schema.ts'
import type { StartContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import type { Received } from '../inbox/inbox-route.ts'
import type { ReadPorts } from '../read-ports.ts'
import type { Admission } from '../runs/admission.ts'
import { admitRun } from '../runs/admit-run.ts'
import { awaitRun } from '../runs/await-run.ts'
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
  /** the delivery that the request is, where it may come twice */
  delivery_id?: string | undefined
  /** accepts a start to be processed later */
  deliver: () => Promise<Started | Received>
}

type RunView = z.infer<typeof Run>
type Started = { run_id: string; status: RunView['status'] }

/** The answer to a manual start: the full run if its end was awaited and came in time, else its state. */
export type ManualOutcome = { run: RunView } | Started | Received

/** Starts a template by hand. A wait ends with the run, at its next gate, after its time, or when the caller leaves. */
export const startManually = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (
    ctx: StartContext & ReadPorts,
    { wait_timeout_s, ...start }: ManualStart,
    { hub, signal, delivery_id, deliver }: ManualPorts,
  ): Promise<ManualOutcome> => {
    if (!start.wait) return await deliver()
    const { run_id } = await admitRun(ctx, {
      ...start,
      ...(delivery_id !== undefined && { run_id: runIdOfDelivery(delivery_id) }),
      trigger: { type: 'manual' },
    })
    await awaitRun(hub, { workspace_id: ctx.workspace_id, run_id, timeout_ms: wait_timeout_s * 1_000, signal })
    const run = await getRun(ctx, run_id)
    return run.ended_at === undefined ? { run_id, status: run.status } : { run }
  },
)
