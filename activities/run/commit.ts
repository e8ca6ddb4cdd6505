import type { AdvanceOutcome } from '#core/contract.ts'
import type { Ids } from '#core/id.ts'
import { type RunPatch, type StepSettlement, TAKING, type Transition } from '#core/run/patch.ts'
import { redactPatch } from '#core/run/redact-patch.ts'
import { hasEnded, isTerminal } from '#core/run/status.ts'
import type { Settled } from '#core/run/step-transitions.ts'
import { type Clock, isoTime } from '#core/time/time.ts'
import { announce } from '#services/approvals/record-deps.ts'
import type { OutboxEntry, Recorded, Refusal, RunHead } from '#store/runs/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import type { RunSession } from './run-session.ts'

// How an execution writes to the record of its run:
// 1. Its first write takes the run and sets `fence` (`runs.take` may have done so before). Only the newest fence can write.
// 2. One settlement is kept as `pending` and goes with the next write. A settlement in that write makes two: the kept one comes first.
// 3. A refused write changes nothing. If the run is being cancelled, the kept settlement is written all the same.
// 4. A release (`let_go` in the patch) ends an execution that another one follows: `released` is true until the next write.
// 5. An execution that ends otherwise, perhaps without its run, notes with any fence that its process lives (`noteAlive`).

type Patch = Omit<RunPatch, 'run_id' | 'fence'>

/** What a write needs of a session. */
export interface Writing extends Pick<RunSession, 'redactor' | 'fence' | 'pending' | 'released' | 'steps'> {
  readonly head: Pick<RunHead, 'id' | 'workspace_id' | 'dry_run'>
}

/** What a write needs of the process. */
export type WriteDeps = Parameters<typeof announce>[0] & {
  runs: Pick<StepDeps['runs'], 'record'>
  ids: Ids
  clock: Clock
}

/** A transition that was written; `audit` are the outbox entries of its own records. */
export type Committed = Omit<Recorded, 'audit'> & { audit: OutboxEntry[] }

/** Writes a transition, together with the settlement that was kept up to here. */
export async function commit(deps: WriteDeps, session: Writing, transition: Transition): Promise<Committed | Refusal> {
  const patch = stamped(deps, session, transition)
  const recorded = await writePatch(deps, session, patch)
  if ('refused' in recorded) return recorded
  if (patch.settle !== undefined) remember(deps, session, patch.settle)
  const own = new Set(patch.audit.map(({ id }) => id))
  return { ...recorded, audit: recorded.audit.filter(({ draft_id }) => own.has(draft_id)) }
}

/** Writes a transition. Returns how the execution ends if the record refuses it. */
export async function commitOrStop(
  deps: WriteDeps,
  session: Writing,
  transition: Transition,
): Promise<AdvanceOutcome | undefined> {
  const recorded = await commit(deps, session, transition)
  return 'refused' in recorded ? stoppedBy(recorded) : undefined
}

/** Keeps the settlement of a step that has ended, to be written with the next transition. What was kept before is written now. */
export async function keep(
  deps: WriteDeps,
  session: Writing,
  transition: Settled,
): Promise<{ kind: 'settled' } | AdvanceOutcome> {
  const refused = await flush(deps, session)
  if (refused !== undefined) return stoppedBy(refused)
  session.pending = { ...stamped(deps, session, transition), settle: transition.settle }
  remember(deps, session, transition.settle)
  return { kind: 'settled' }
}

/** Writes what is kept and nothing else. The run is this execution's afterwards. */
export async function flush(deps: WriteDeps, session: Writing): Promise<Refusal | undefined> {
  const recorded =
    session.pending !== null
      ? await writePatch(deps, session, {})
      : session.fence === 0
        ? await take(deps, session, {})
        : undefined
  return recorded !== undefined && 'refused' in recorded ? recorded : undefined
}

/** Ends an execution that another one follows: what is kept is written, and a crash no longer counts against the run. */
export async function release(deps: WriteDeps, session: Writing): Promise<Refusal | undefined> {
  if (session.released) return undefined
  const recorded =
    session.fence === 0 && session.pending === null
      ? await take(deps, session, { let_go: true })
      : await writePatch(deps, session, { let_go: true })
  return 'refused' in recorded ? recorded : undefined
}

/** Notes for an execution that may have lost the run to another one that its process lives. */
export async function noteAlive(deps: WriteDeps, session: Writing): Promise<void> {
  if (session.fence > 0 && !session.released) await record(deps, session, { any_fence: true, let_go: true })
}

/** A transition was refused: the run has ended, is being cancelled, or belongs to a later attempt. */
export function stoppedBy(refusal: Refusal): AdvanceOutcome {
  if (refusal.refused === 'terminal' && isTerminal(refusal.status)) return { kind: 'closed', status: refusal.status }
  return { kind: refusal.refused === 'cancelling' ? 'cancelling' : 'stopped' }
}

/** With ids and the time for its audit records, which the service itself makes. */
function stamped({ ids, clock }: WriteDeps, { head }: Writing, { audit = [], ...transition }: Transition) {
  const ts = isoTime(clock())
  const about = {
    ts,
    workspace_id: head.workspace_id,
    actor: { type: 'system', id: 'svc', auth: 'none' } as const,
    run_id: head.id,
    subject: { type: 'run', id: head.id },
  }
  return {
    ...transition,
    audit: audit.map((facts) => ({
      id: ids.next('audit'),
      ...about,
      ...facts,
      data: head.dry_run ? { ...facts.data, of_dry_run: true } : facts.data,
    })),
  }
}

/** As the step is read from the record once this is written. */
function remember({ clock }: WriteDeps, { steps }: Writing, settle: StepSettlement): void {
  const { step_id, state, attempt, outputs = null, error = null } = settle
  const known = steps.get(step_id)
  steps.set(step_id, {
    step_id,
    state,
    attempt,
    outputs,
    error,
    plan_hash: known?.plan_hash ?? null,
    simulation: settle.simulation ?? known?.simulation ?? null,
    ended_at: hasEnded(state) ? isoTime(clock()) : null,
  })
}

async function writePatch(deps: WriteDeps, session: Writing, patch: Patch): Promise<Recorded | Refusal> {
  const { pending } = session
  if (pending !== null && patch.settle !== undefined) {
    const first = await write(deps, session, pending)
    if ('refused' in first) return first
    session.pending = null
    return await write(deps, session, patch)
  }
  const recorded = await write(deps, session, {
    ...(pending && { settle: pending.settle }),
    ...patch,
    events: [...(pending?.events ?? []), ...(patch.events ?? [])],
    audit: [...(pending?.audit ?? []), ...(patch.audit ?? [])],
  })
  if (!('refused' in recorded)) session.pending = null
  // what was done stays done, and its cost known, when nothing further may begin; an execution that has not taken its run has done nothing
  else if (recorded.refused === 'cancelling' && pending !== null && session.fence > 0) await flush(deps, session)
  return recorded
}

async function write(deps: WriteDeps, session: Writing, patch: Patch): Promise<Recorded | Refusal> {
  if (session.fence > 0) return await record(deps, session, patch)
  // a run that begins with its first step is running then; any other first write finds it running
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

/** All that an execution writes passes the redactor. */
async function record(deps: WriteDeps, session: Writing, given: Patch): Promise<Recorded | Refusal> {
  const patch = redactPatch(given, session.redactor)
  const recorded = await deps.runs.record({ run_id: session.head.id, fence: session.fence, ...patch })
  if (!('refused' in recorded)) {
    announce(deps, session.head.id, patch.audit ?? [], recorded)
    session.released = patch.let_go === true
  }
  return recorded
}
