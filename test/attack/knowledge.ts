import { type Engine, valuesIn } from './engine.ts'
import type { HonestRun } from './honest/runs.ts'
import type { World } from './world.ts'

export interface KnownGate {
  id: string
  run_id: string
  step_id: string
  status: string
  plan_hash: string
  required: unknown
  expires_at: string
}

/** What the adversary has found out: ids are no secrets, and anyone who reaches the engine reads every history. */
export type Knowledge = ReturnType<typeof createKnowledge>

export function createKnowledge({ service, engine }: Pick<World, 'service' | 'engine'>) {
  const signed: Record<string, unknown>[] = []
  const inputs = new Map<string, Record<string, unknown>>()
  /** tasks that were taken from our queues, and whose they are */
  const tokens: { token: Uint8Array; run_id: string }[] = []

  async function read(run: HonestRun): Promise<void> {
    const events = await engine.history(run.id).catch(() => [])
    for (const value of events.flatMap((event) => valuesIn(event))) collect(value, run.id)
    const [input] = valuesIn(events[0]?.workflowExecutionStartedEventAttributes?.input)
    if (isRecord(input)) inputs.set(run.id, input)
  }

  function collect(value: unknown, run_id: string): void {
    if (Array.isArray(value)) for (const item of value) collect(item, run_id)
    if (!isRecord(value)) return
    if (typeof value['signature'] === 'string' && !signed.some((one) => one['signature'] === value['signature'])) {
      signed.push({ ...value, from_run: run_id })
    }
    for (const item of Object.values(value)) collect(item, run_id)
  }

  return {
    signed,
    tokens,
    read,
    /** the genuine input of a run's workflow, as its history shows it */
    async inputOf(run: HonestRun): Promise<Record<string, unknown>> {
      if (!inputs.has(run.id)) await read(run)
      return inputs.get(run.id) ?? {}
    },
    async gateOf(run: HonestRun): Promise<KnownGate | undefined> {
      const gates = await service.database.db<KnownGate[]>`
        select id, run_id, step_id, status, plan_hash, required, expires_at::text from gates
        where run_id = ${run.id} order by opened_at desc limit 1`
      return gates[0]
    },
  }
}

/** The gate's id while it can be claimed to be approved. */
export function openGate(gate: KnownGate | undefined): string | null {
  return gate?.status === 'open' ? gate.id : null
}

/** An event that a reset may go back to: the end of a workflow task. */
export async function resetPoints(engine: Engine, run_id: string): Promise<number[]> {
  const events = await engine.history(run_id)
  return events
    .filter((event) => event.workflowTaskCompletedEventAttributes)
    .map((event) => Number(String(event.eventId)))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
