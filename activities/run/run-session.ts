import type { AuditDraft } from '#core/audit/types.ts'
import type { LegOutcome } from '#core/contract.ts'
import type { Environment } from '#core/environment.ts'
import { removedEnvironment } from '#core/environment-defaults.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import type { Plan } from '#core/plan/types.ts'
import type { EventDraft } from '#core/run/event.ts'
import { type RunPatch, type StepSettlement, TAKING } from '#core/run/patch.ts'
import { isTerminal } from '#core/run/status.ts'
import { createRedactor, type Redactor } from '#core/secret/redactor.ts'
import { mergeSecrets, namedSecrets } from '#core/secret/split-secrets.ts'
import { announce } from '#services/approvals/record-deps.ts'
import type { GateRecord, Recorded, Refusal, RunHead, StepRecord } from '#store/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import { redactPatch } from './redact-patch.ts'

/** An execution in progress: the run as taken, the fence it holds, and a settlement that waits to be written with the next transition. */
export interface RunSession {
  /** with the run's secrets in its inputs: expressions see what is real, records never do */
  readonly head: RunHead
  readonly redactor: Redactor
  readonly plan: Plan
  /** as it stood when the current attempt began */
  environment: Environment
  readonly signal: AbortSignal
  /** beside the workflow task: what may take long is left to the execution after it */
  readonly near: boolean
  /** when the execution began, by the clock that only goes on */
  readonly began: number
  /** 0 while nobody has taken the run: the first write does */
  fence: number
  /** false while nobody's identity is checked */
  readonly ask_standing: boolean
  steps: Map<string, StepRecord>
  gates: GateRecord[]
  pending: PendingSettlement | null
  /** this execution has given the run up, in good order */
  let_go: boolean
  /** name of the step at work, for the heartbeat */
  current: string
}

export interface PendingSettlement {
  settle: StepSettlement
  events: EventDraft[]
  audit: AuditDraft[]
}

/** What a write needs of a session. */
export interface Writing extends Pick<RunSession, 'redactor' | 'fence' | 'pending' | 'let_go'> {
  readonly head: Pick<RunHead, 'id'>
}

/** What a write stands on. */
export type WriteDeps = Parameters<typeof announce>[0] & { runs: Pick<StepDeps['runs'], 'record'> }

/** Writes a transition, together with whatever settlement was pending up to here. */
export async function writePatch(deps: WriteDeps, session: Writing, patch: Patch): Promise<Recorded | Refusal> {
  const pending = session.pending
  if (pending !== null && patch.settle !== undefined) {
    const first = await write(deps, session, pending)
    if ('refused' in first) return first
    session.pending = null
    return await write(deps, session, patch)
  }
  const recorded = await write(deps, session, {
    ...(pending === null ? {} : { settle: pending.settle }),
    ...patch,
    events: [...(pending?.events ?? []), ...(patch.events ?? [])],
    audit: [...(pending?.audit ?? []), ...(patch.audit ?? [])],
  })
  if (!('refused' in recorded)) session.pending = null
  // what was done stays done, and its cost known, when nothing further may begin; an execution that has not taken its run has done nothing
  else if (recorded.refused === 'cancelling' && pending !== null && session.fence > 0) await flush(deps, session)
  return recorded
}

/** Writes what is pending and nothing else. The run is this execution's afterwards. */
export async function flush(deps: WriteDeps, session: Writing): Promise<Refusal | undefined> {
  const recorded =
    session.pending !== null
      ? await writePatch(deps, session, {})
      : session.fence === 0
        ? await take(deps, session, {})
        : undefined
  return recorded !== undefined && 'refused' in recorded ? recorded : undefined
}

/** Ends an execution after which another one goes on: what is pending is written, and its process may end without notice. */
export async function letGo(deps: WriteDeps, session: Writing): Promise<Refusal | undefined> {
  if (session.let_go) return undefined
  const recorded =
    session.fence === 0 && session.pending === null
      ? await take(deps, session, { let_go: true })
      : await writePatch(deps, session, { let_go: true })
  return 'refused' in recorded ? recorded : undefined
}

/** An execution ends that may have lost the run to another one: its process lives, and does not count as one that ended. */
export async function noteAlive(deps: WriteDeps, session: Writing): Promise<void> {
  if (session.fence > 0 && !session.let_go) await record(deps, session, { any_fence: true, let_go: true })
}

type Patch = Omit<RunPatch, 'run_id' | 'fence'>

async function write(deps: WriteDeps, session: Writing, patch: Patch): Promise<Recorded | Refusal> {
  if (session.fence > 0) return await record(deps, session, patch)
  // a run that begins with its first step is running then; whatever else comes first finds it running
  if (patch.open !== undefined && patch.run === undefined) return await take(deps, session, patch)
  const taken = await take(deps, session, {})
  return 'refused' in taken ? taken : await record(deps, session, patch)
}

/** `fenced` when another attempt took the run since it was read. */
async function take(deps: WriteDeps, session: Writing, patch: Patch): Promise<Recorded | Refusal> {
  const taken = await record(deps, session, {
    ...patch,
    ...TAKING,
    events: [...TAKING.events, ...(patch.events ?? [])],
  })
  if (!('refused' in taken)) session.fence = taken.fence
  return taken
}

/** The one way into the record: whatever an execution writes passes the redactor. */
async function record(deps: WriteDeps, session: Writing, given: Patch): Promise<Recorded | Refusal> {
  const patch = redactPatch(given, session.redactor)
  const recorded = await deps.runs.record({ run_id: session.head.id, fence: session.fence, ...patch })
  if (!('refused' in recorded)) {
    announce(deps, session.head.id, patch.audit ?? [], recorded)
    session.let_go = patch.let_go === true
  }
  return recorded
}

/** The place in line of one written draft. */
export function outboxIdsOf(draft: AuditDraft, recorded: Recorded): number[] {
  return recorded.audit.filter((entry) => entry.draft_id === draft.id).map((entry) => entry.outbox_id)
}

/** What expressions of this run may see. */
export function expressionScope(session: RunSession): JsonObject {
  const { head } = session
  const steps: JsonObject = {}
  for (const step of session.plan.steps) {
    const record = session.steps.get(step.id)
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
      decisions: session.gates.flatMap(({ step_id, votes = [] }) => votes.map((vote) => ({ step: step_id, ...vote }))),
    },
    trigger: head.provenance['trigger'] ?? {},
  }
}

/** A transition was refused: the run has ended, is being cancelled, or belongs to a later attempt. */
export function stoppedBy(refusal: Refusal): LegOutcome {
  if (refusal.refused === 'terminal' && isTerminal(refusal.status)) return { kind: 'closed', status: refusal.status }
  return { kind: refusal.refused === 'cancelling' ? 'cancelling' : 'stopped' }
}

/** The run with its secret inputs in place, and what keeps them out of the record. Once per leg, and only where there are any. */
export async function openSecrets(
  deps: Pick<StepDeps, 'secrets'>,
  head: RunHead,
): Promise<{ head: RunHead; redactor: Redactor }> {
  if (head.sealed === null) return { head, redactor: createRedactor([]) }
  if (deps.secrets === undefined) {
    throw new DomainError('not_configured', 'the run has secret inputs, and this worker has no SVC_SECRET_KEY')
  }
  const secrets = await deps.secrets.open(head.id, head.sealed)
  return {
    head: { ...head, inputs: mergeSecrets(head.inputs, secrets) },
    redactor: createRedactor(namedSecrets(secrets)),
  }
}

/** The environment as it stands now. */
export function environmentOf({ environments }: Pick<StepDeps, 'environments'>, name: string): Environment {
  return environments.get(name) ?? removedEnvironment(name)
}
