import type { AuditDraft } from '#core/audit/types.ts'
import type { ClaimKind } from '#core/gate/types.ts'
import { advancePipeline as nextState } from '#core/pipeline/advance.ts'
import { awaitedUpdates, wakeAt } from '#core/pipeline/awaited-updates.ts'
import { stepsNotTakenBack } from '#core/pipeline/compensate.ts'
import type { AdvanceOutcome, PipelineClaim } from '#core/pipeline/contract.ts'
import type { AdvanceFacts, EventsRead, PipelineSnapshot, StartFact } from '#core/pipeline/snapshot.ts'
import { isPipelineEnd, type PipelineEnd } from '#core/pipeline/transitions.ts'
import type { LoadedPipeline } from '#store/pipelines/pipelines.ts'
import { refuseClaim } from '../approvals/refuse-claim.ts'
import { systemAudit } from '../audit/system-audit.ts'
import { cancelledInTemporal } from './cancelled-in-temporal.ts'
import { changesOf } from './changes.ts'
import type { AdvanceDeps } from './ports.ts'
import { readAwaitedEvents } from './read-awaited-events.ts'
import { runCommands } from './run-commands.ts'

/** The limit for one activity; the rest is left to the next one. */
const MAX_ROUNDS = 50
/** The wait before a start or a cancellation is tried again. */
const AGAIN_MS = 1_000

interface Evaluation {
  outcome: AdvanceOutcome
  /** its workflow must be notified: the pipeline has ended, or is to be evaluated earlier than recorded */
  notify: boolean
}

/**
 * Advances a pipeline until it has to wait: reads the record, writes the consequences, starts and stops runs, and evaluates again until
 * nothing changes. It is safe to repeat and to run twice at once: a record that has changed in between is read again, and every run has its
 * recorded id before it is admitted.
 */
export async function advancePipeline(
  deps: AdvanceDeps,
  { cancelled, ...claim }: PipelineClaim & { cancelled: boolean },
): Promise<AdvanceOutcome> {
  if (cancelled) await cancelledInTemporal(deps, (await loadClaimed(deps, claim)).snapshot)
  return (await evaluate(deps, claim)).outcome
}

/** Does the same outside its workflow; tells whether the workflow must be notified. */
export async function advanceBeside(deps: AdvanceDeps, claim: PipelineClaim): Promise<boolean> {
  return (await evaluate(deps, claim)).notify
}

async function evaluate(deps: AdvanceDeps, claim: PipelineClaim): Promise<Evaluation> {
  let notify = false
  let starts: ReadonlyMap<string, StartFact> = new Map()
  const up_to_date = new Set<string>()
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let loaded = await loadClaimed(deps, claim)
    if (isPipelineEnd(loaded.snapshot.status)) return endedAs(loaded.snapshot.status)
    // the writer of this record has woken the workflow
    const known_ms = wakeAt(loaded.snapshot) ?? Number.POSITIVE_INFINITY
    const events = await readAwaitedEvents(deps.bus, loaded, up_to_date)
    const facts = factsOf(deps, loaded, starts, events)
    let next = nextState(loaded.definition, loaded.snapshot, facts)
    while (next.missing.length > 0) {
      loaded = await deps.pipelines.withOutputs(loaded, next.missing)
      next = nextState(loaded.definition, loaded.snapshot, facts)
    }
    const { at, wake_at_ms } = next
    if (!(await recordChanges(deps, loaded, at))) {
      // the record that this was decided on has changed
      starts = new Map()
      up_to_date.clear()
      continue
    }
    if (isPipelineEnd(at.status)) return endedAs(at.status)
    notify ||= wake_at_ms !== null && wake_at_ms < known_ms
    // a step that has just begun to wait reads the log only now, after its wait was recorded
    if (at.steps.some(({ id, state }) => state === 'waiting_event' && !up_to_date.has(id))) continue
    const work = await runCommands(deps, { ...loaded, snapshot: at })
    if (!work.moved) {
      const next_ms = work.again ? loaded.now_ms + AGAIN_MS : wake_at_ms
      notify ||= next_ms !== null && next_ms < known_ms
      deps.onWait(at.id, awaitedUpdates(loaded.definition, at))
      return { outcome: waitFor(loaded.now_ms, next_ms), notify }
    }
    starts = work.starts
  }
  return { outcome: { kind: 'wait', for_ms: 1, summary: 'its next turn' }, notify: true }
}

function endedAs(status: PipelineEnd): Evaluation {
  return { outcome: { kind: 'ended', status }, notify: true }
}

/** Writes the changes; false when the record has changed meanwhile. */
async function recordChanges(deps: AdvanceDeps, loaded: LoadedPipeline, at: PipelineSnapshot): Promise<boolean> {
  const changes = changesOf(loaded.snapshot, at, loaded.version)
  if (changes === undefined) return true
  const audit = isPipelineEnd(at.status) ? [endRecord(deps, loaded, at)] : []
  const version = await deps.pipelines.record({ ...changes, version: loaded.version, audit })
  deps.services.notifyRun(at.id)
  return version !== undefined
}

async function loadClaimed(deps: AdvanceDeps, claim: PipelineClaim): Promise<LoadedPipeline> {
  const refuse = (kind: ClaimKind) => refuseClaim(deps.claims, kind, claim.pipeline_id)
  const loaded = await deps.pipelines.load(claim.workspace_id, claim.pipeline_id)
  if (loaded === undefined) throw await refuse('unknown_pipeline')
  return loaded
}

function factsOf(
  { services }: AdvanceDeps,
  { now_ms, runs }: LoadedPipeline,
  starts: ReadonlyMap<string, StartFact>,
  events: ReadonlyMap<string, EventsRead>,
): AdvanceFacts {
  return { now_ms, runs, starts, events, nextRunId: () => services.ids.next('run') }
}

function waitFor(now_ms: number, wake_at_ms: number | null): AdvanceOutcome {
  return {
    kind: 'wait',
    for_ms: wake_at_ms === null ? null : Math.max(1, wake_at_ms - now_ms),
    summary: wake_at_ms === null ? 'updates from its runs' : 'updates from its runs, or the time of a step',
  }
}

function endRecord({ services }: AdvanceDeps, { now_ms }: LoadedPipeline, at: PipelineSnapshot): AuditDraft {
  const { id, workspace_id, name, status } = at
  const not_taken_back = stepsNotTakenBack(at)
  const stamp = { ids: services.ids, clock: () => now_ms }
  return systemAudit(stamp, {
    category: 'lineage',
    action: 'pipeline.ended',
    workspace_id,
    channel: 'system',
    subject: { type: 'pipeline', id },
    data: {
      name,
      status,
      runs: at.children.map(({ run_id }) => run_id),
      ...(not_taken_back.length > 0 && { not_taken_back }),
    },
  })
}
