import type { Json, JsonObject } from '#core/json/json.ts'
import { type Advanced, advancePipeline } from '#core/pipeline/advance.ts'
import type {
  AdvanceFacts,
  ChildRecord,
  EventsRead,
  PipelineSnapshot,
  RunFact,
  StartFact,
} from '#core/pipeline/snapshot.ts'
import { isPipelineEnd } from '#core/pipeline/transitions.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import { isTerminal, type RunStatus } from '#core/run/status.ts'

const START_MS = Date.UTC(2026, 0, 1)

/** A pipeline as it stands after its start, before anything has looked at it. */
export function startOf({ name, steps }: PipelineDefinition, inputs: JsonObject = {}): PipelineSnapshot {
  return {
    ...{ id: 'pl_1', workspace_id: 'ws_1', name, environment: 'development', reason: null, status: 'queued', inputs },
    ...{ outputs: null, error: null, closing: null, cancel: null, children: [] },
    steps: steps.map(({ id }) => ({
      ...{ id, state: 'pending', reason: null, started_at_ms: null, ended_at_ms: null, deadline_ms: null },
      ...{ paused_at_ms: null, timed_out: false, fire_at_ms: null, after_id: null, items: null, advanced: null },
      ...{ outputs: null, error: null },
    })),
  }
}

/** The world around one pipeline, without servers: runs, a clock, a bus and people that do as a test says, and the machine that follows. */
export class PipelineWorld {
  now_ms = START_MS
  readonly definition: PipelineDefinition
  at: PipelineSnapshot
  wake_at_ms: number | null = null
  readonly runs = new Map<string, RunFact>()
  readonly bus: { id: number; event: JsonObject }[] = []
  /** called with what every look has changed */
  onLook: (before: PipelineSnapshot, facts: AdvanceFacts, answer: Advanced) => void = () => undefined
  private ids = 0

  constructor(definition: PipelineDefinition, inputs: JsonObject = {}) {
    this.definition = definition
    this.at = startOf(definition, inputs)
  }

  get ended(): boolean {
    return isPipelineEnd(this.at.status)
  }
  step(id: string) {
    const found = this.at.steps.find((step) => step.id === id)
    if (found === undefined) throw new Error(`there is no step ${id}`)
    return found
  }
  childrenOf(id: string, role: ChildRecord['role'] = 'run'): ChildRecord[] {
    return this.at.children.filter((child) => child.step_id === id && child.role === role)
  }
  wanted(): ChildRecord[] {
    return this.at.children.filter(({ status, run_id }) => status === 'starting' && !this.runs.has(run_id))
  }
  open(): { run_id: string; run: RunFact }[] {
    return [...this.runs].map(([run_id, run]) => ({ run_id, run })).filter(({ run }) => !isTerminal(run.status))
  }

  facts(starts: ReadonlyMap<string, StartFact> = new Map()): AdvanceFacts {
    const last = this.bus.at(-1)?.id ?? 0
    const waiting = this.at.steps.filter(({ state }) => state === 'waiting_event')
    const events = waiting.map(({ id, after_id }): [string, EventsRead] => [
      id,
      { events: this.bus.filter((each) => each.id > (after_id ?? 0)).map(({ event }) => event), up_to: last },
    ])
    return {
      ...{ now_ms: this.now_ms, runs: new Map(this.runs), starts, events: new Map(events) },
      nextRunId: () => {
        this.ids += 1
        return `run_${this.ids}`
      },
    }
  }

  /** One look at the record. */
  look(starts: ReadonlyMap<string, StartFact> = new Map()): this {
    const before = this.at
    const facts = this.facts(starts)
    const answer = advancePipeline(this.definition, before, facts)
    this.onLook(before, facts, answer)
    this.at = answer.at
    this.wake_at_ms = answer.wake_at_ms
    return this
  }

  admit(runId: string): void {
    this.runs.set(runId, {
      status: 'queued',
      acted: false,
      outputs: null,
      error: null,
      ended_at_ms: null,
      awaiting_since_ms: null,
    })
  }
  move(runId: string, status: RunStatus, more: Partial<RunFact> = {}): void {
    const run = this.runs.get(runId)
    if (run === undefined || isTerminal(run.status)) throw new Error(`${runId} cannot become ${status}`)
    this.runs.set(runId, {
      ...{ ...run, status },
      awaiting_since_ms: status === 'awaiting_approval' ? (run.awaiting_since_ms ?? this.now_ms) : null,
      ...(isTerminal(status) && { ended_at_ms: this.now_ms }),
      ...(status === 'succeeded' && { outputs: { text: runId } }),
      ...more,
    })
  }
  /** Starts what is wanted and stops what is to stop, as the service does, until nothing is left to do. */
  carryOut(): this {
    for (const { run_id } of this.wanted()) this.admit(run_id)
    for (const { run_id, cancel_reason } of this.at.children) {
      const run = this.runs.get(run_id)
      if (cancel_reason !== null && run !== undefined && !isTerminal(run.status)) this.move(run_id, 'cancelled')
    }
    return this.look()
  }
  later(ms: number): this {
    this.now_ms += ms
    return this
  }
  tell(event: JsonObject): void {
    this.bus.push({ id: this.bus.length + 1, event })
  }
  advance(id: string, inputs: Record<string, Json> = {}): void {
    this.step(id).advanced = { inputs }
  }
  cancel(reason: string | null = null): void {
    this.at = { ...this.at, cancel: { reason } }
  }
}
