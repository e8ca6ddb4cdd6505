import type { AuditDraft } from '#core/audit/types.ts'
import type { Environment } from '#core/environment.ts'
import type { JsonObject } from '#core/json.ts'
import type { Plan } from '#core/plan/types.ts'
import type { EventDraft } from '#core/run/event.ts'
import type { Redactor } from '#core/secret/redactor.ts'
import { announce } from '#services/approvals/record-deps.ts'
import type { GateRecord, Recorded, Refusal, RunHead, StepRecord } from '#store/run-answers.ts'
import type { RunPatch, StepSettlement } from '#store/run-patches.ts'
import { TAKING } from '#store/taking.ts'
import type { StepDeps } from './deps.ts'
import { redactPatch } from './redact-patch.ts'

/** A leg in progress: the run as taken, the fence it holds, and a settlement that waits to be written with the next transition. */
export interface Walk {
  /** with the run's secrets in its inputs: expressions see what is real, records never do */
  readonly head: RunHead
  readonly redactor: Redactor
  readonly plan: Plan
  /** as it stood when the current attempt began */
  environment: Environment
  readonly signal: AbortSignal
  /** beside the workflow task: what may take long is left to the leg after it */
  readonly near: boolean
  /** when the leg began, by the clock that only goes on */
  readonly began: number
  /** 0 while nobody has taken the run: the first write does */
  fence: number
  /** false while nobody's identity is checked */
  readonly ask_standing: boolean
  steps: Map<string, StepRecord>
  gates: GateRecord[]
  carried: Carried | null
  /** the run is no longer this leg's, in good order */
  let_go: boolean
  /** name of the step at work, for the heartbeat */
  current: string
}

export interface Carried {
  settle: StepSettlement
  events: EventDraft[]
  audit: AuditDraft[]
}

/** What of a leg a write needs. */
export interface Writing extends Pick<Walk, 'redactor' | 'fence' | 'carried' | 'let_go'> {
  readonly head: Pick<RunHead, 'id'>
}

/** What a write stands on. */
export type WriteDeps = Parameters<typeof announce>[0] & { runs: Pick<StepDeps['runs'], 'record'> }

/** Writes a transition, together with whatever settlement was carried up to here. */
export async function writePatch(deps: WriteDeps, walk: Writing, patch: Patch): Promise<Recorded | Refusal> {
  const carried = walk.carried
  if (carried !== null && patch.settle !== undefined) {
    const first = await write(deps, walk, carried)
    if ('refused' in first) return first
    walk.carried = null
    return await write(deps, walk, patch)
  }
  const recorded = await write(deps, walk, {
    ...(carried === null ? {} : { settle: carried.settle }),
    ...patch,
    events: [...(carried?.events ?? []), ...(patch.events ?? [])],
    audit: [...(carried?.audit ?? []), ...(patch.audit ?? [])],
  })
  if (!('refused' in recorded)) walk.carried = null
  // what was done stays done, and its cost known, when nothing further may begin; a leg that has not taken its run has done nothing
  else if (recorded.refused === 'cancelling' && carried !== null && walk.fence > 0) await flush(deps, walk)
  return recorded
}

/** Writes what is carried and nothing else. The run is this leg's afterwards. */
export async function flush(deps: WriteDeps, walk: Writing): Promise<Refusal | undefined> {
  const recorded =
    walk.carried !== null ? await writePatch(deps, walk, {}) : walk.fence === 0 ? await take(deps, walk, {}) : undefined
  return recorded !== undefined && 'refused' in recorded ? recorded : undefined
}

/** Ends an execution after which another one goes on: what is carried is written, and its process may end without a word. */
export async function letGo(deps: WriteDeps, walk: Writing): Promise<Refusal | undefined> {
  if (walk.let_go) return undefined
  const recorded =
    walk.fence === 0 && walk.carried === null
      ? await take(deps, walk, { let_go: true })
      : await writePatch(deps, walk, { let_go: true })
  return 'refused' in recorded ? recorded : undefined
}

/** An execution ends that may have lost the run to another one: its process lives, and does not count as one that ended. */
export async function noteAlive(deps: WriteDeps, walk: Writing): Promise<void> {
  if (walk.fence > 0 && !walk.let_go) await record(deps, walk, { any_fence: true, let_go: true })
}

type Patch = Omit<RunPatch, 'run_id' | 'fence'>

async function write(deps: WriteDeps, walk: Writing, patch: Patch): Promise<Recorded | Refusal> {
  if (walk.fence > 0) return await record(deps, walk, patch)
  // a run that begins with its first step is running then; whatever else comes first finds it running
  if (patch.open !== undefined && patch.run === undefined) return await take(deps, walk, patch)
  const taken = await take(deps, walk, {})
  return 'refused' in taken ? taken : await record(deps, walk, patch)
}

/** `fenced` when another attempt took the run since it was read. */
async function take(deps: WriteDeps, walk: Writing, patch: Patch): Promise<Recorded | Refusal> {
  const taken = await record(deps, walk, {
    ...patch,
    ...TAKING,
    events: [...TAKING.events, ...(patch.events ?? [])],
  })
  if (!('refused' in taken)) walk.fence = taken.fence
  return taken
}

/** The one way into the record: whatever a leg writes passes the redactor. */
async function record(deps: WriteDeps, walk: Writing, given: Patch): Promise<Recorded | Refusal> {
  const patch = redactPatch(given, walk.redactor)
  const recorded = await deps.runs.record({ run_id: walk.head.id, fence: walk.fence, ...patch })
  if (!('refused' in recorded)) {
    announce(deps, walk.head.id, patch.audit ?? [], recorded)
    walk.let_go = patch.let_go === true
  }
  return recorded
}

/** The place in line of one written draft. */
export function outboxIdsOf(draft: AuditDraft, recorded: Recorded): number[] {
  return recorded.audit.filter((entry) => entry.draft_id === draft.id).map((entry) => entry.outbox_id)
}

/** What expressions of this run may see. */
export function expressionScope(walk: Walk): JsonObject {
  const { head } = walk
  const steps: JsonObject = {}
  for (const step of walk.plan.steps) {
    const record = walk.steps.get(step.id)
    if (record !== undefined) steps[step.id] = { status: record.state, outputs: record.outputs ?? {} }
  }
  return {
    inputs: head.inputs,
    steps,
    run: {
      id: head.id,
      workspace_id: head.workspace_id,
      environment: head.environment,
      lane: head.lane,
      reason: head.reason ?? '',
      decisions: walk.gates.flatMap(({ step_id, votes = [] }) => votes.map((vote) => ({ step: step_id, ...vote }))),
    },
    trigger: head.provenance['trigger'] ?? {},
  }
}
