import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError, isOver, isPassing } from '#core/errors.ts'
import type { ClaimKind } from '#core/gate/types.ts'
import { advancePipeline as nextState } from '#core/pipeline/advance.ts'
import { notTakenBack } from '#core/pipeline/compensate.ts'
import type { AdvanceOutcome, PipelineClaim } from '#core/pipeline/contract.ts'
import type { AdvanceFacts, ChildRecord, HeardFact, PipelineSnapshot, StartFact } from '#core/pipeline/snapshot.ts'
import { isPipelineEnd } from '#core/pipeline/status.ts'
import { isTerminal } from '#core/run/status.ts'
import { isoTime } from '#core/time.ts'
import type { BusReads } from '#store/bus-reads.ts'
import type { LoadedPipeline, PipelineStore } from '#store/pipelines.ts'
import { type ClaimPorts, refuseClaim } from '../approvals/refuse-claim.ts'
import type { ServiceDeps } from '../context.ts'
import { cancelRun } from '../runs/cancel-run.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import { admitChildren } from './admit-children.ts'
import { cancelledInTemporal } from './cancelled-in-temporal.ts'
import { changesOf } from './changes.ts'
import { childContext } from './child-context.ts'
import { hearEvents } from './hear-events.ts'

export interface AdvanceDeps {
  services: ServiceDeps
  pipelines: PipelineStore
  bus: BusReads
  workspaces: Pick<WorkspaceDirectory, 'find'>
  claims: ClaimPorts
}

/** So many runs are started or stopped before the engine hears how far it has come. */
const AT_ONCE = 20
/** A pipeline that never comes to rest is left to its next turn. */
const MOST_ROUNDS = 50
/** Before what could not be started or stopped is tried again. */
const AGAIN_MS = 1_000
const LATER_MS = 15_000

/**
 * Takes a pipeline as far as it goes by itself: reads the record, writes what follows from it, starts and stops runs, and looks again,
 * until nothing changes. Any number of repeats, also at once, come to the same: a record that has changed meanwhile is read anew, and
 * every run has its id and its place on record before it is admitted.
 */
export async function advancePipeline(
  deps: AdvanceDeps,
  { cancelled, ...claim }: PipelineClaim & { cancelled: boolean },
): Promise<AdvanceOutcome> {
  if (cancelled) await cancelledInTemporal(deps, (await claimed(deps, claim)).snapshot)
  let starts: ReadonlyMap<string, StartFact> = new Map()
  const up_to_date = new Set<string>()
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const loaded = await claimed(deps, claim)
    if (isPipelineEnd(loaded.snapshot.status)) return { kind: 'ended', status: loaded.snapshot.status }
    const heard = await hearEvents(deps.bus, loaded, up_to_date)
    const { at, wake_at_ms } = nextState(loaded.definition, loaded.snapshot, factsOf(deps, loaded, starts, heard))
    if (!(await written(deps, loaded, at))) {
      // whoever was faster has changed what it was decided on
      starts = new Map()
      up_to_date.clear()
      continue
    }
    if (isPipelineEnd(at.status)) return { kind: 'ended', status: at.status }
    // for a step that has just begun to wait the log is read once the wait is on record
    if (at.steps.some(({ id, state }) => state === 'waiting_event' && !up_to_date.has(id))) continue
    // to ask again with the same facts would change nothing
    const work = await carryOut(deps, { ...loaded, snapshot: at })
    if (work.starts.size === 0 && !work.moved)
      return waitFor(loaded.now_ms, work.again ? loaded.now_ms + AGAIN_MS : wake_at_ms)
    starts = work.starts
  }
  return { kind: 'wait', for_ms: 1, summary: 'its next turn' }
}

/** Whether the record is what follows from it; false when somebody else has written it meanwhile. */
async function written(deps: AdvanceDeps, loaded: LoadedPipeline, at: PipelineSnapshot): Promise<boolean> {
  const changes = changesOf(loaded.snapshot, at, loaded.version)
  if (changes === undefined) return true
  const audit = isPipelineEnd(at.status) ? [endRecord(deps, loaded, at)] : []
  const version = await deps.pipelines.record({ ...changes, version: loaded.version, audit })
  deps.services.ring(at.id)
  return version !== undefined
}

async function claimed(deps: AdvanceDeps, claim: PipelineClaim): Promise<LoadedPipeline> {
  const refuse = (kind: ClaimKind) => refuseClaim(deps.claims, kind, claim.pipeline_id)
  const loaded = await deps.pipelines.load(claim.workspace_id, claim.pipeline_id)
  if (loaded === undefined) throw await refuse('unknown_pipeline')
  return loaded
}

function factsOf(
  { services }: AdvanceDeps,
  { now_ms, runs }: LoadedPipeline,
  starts: ReadonlyMap<string, StartFact>,
  heard: ReadonlyMap<string, HeardFact>,
): AdvanceFacts {
  return { now_ms, runs, starts, heard, nextRunId: () => services.ids.next('run') }
}

interface CarriedOut {
  starts: Map<string, StartFact>
  /** something was started, so that the record has to be read again */
  moved: boolean
  /** something could not be done, and may be in a moment */
  again: boolean
}

/** What the record wants of the world, and has not got. */
async function carryOut(deps: AdvanceDeps, loaded: LoadedPipeline): Promise<CarriedOut> {
  const { runs, now_ms, snapshot } = loaded
  const { children } = snapshot
  const due = children.filter(
    ({ status, run_id, not_before_ms }) => status === 'starting' && !runs.has(run_id) && (not_before_ms ?? 0) <= now_ms,
  )
  const stopping = children.filter(({ run_id, cancel_reason }) => {
    const run = runs.get(run_id)
    return cancel_reason !== null && run !== undefined && run.status !== 'cancelling' && !isTerminal(run.status)
  })
  if (due.length + stopping.length === 0) return { starts: new Map(), moved: false, again: false }
  const workspace = await deps.workspaces.find(snapshot.workspace_id)
  const ctx = childContext(deps.services, snapshot, workspace)
  const starts =
    workspace?.status === 'archived'
      ? putOff(due, now_ms)
      : await admitChildren(ctx, deps.pipelines, loaded, due.slice(0, AT_ONCE)).catch((error: unknown) => {
          // its record has changed meanwhile, and says what is wanted now
          if (error instanceof DomainError && error.code === 'conflict') return new Map<string, StartFact>()
          throw error
        })
  let again = false
  for (const { run_id, cancel_reason } of stopping.slice(0, AT_ONCE)) {
    try {
      await cancelRun(ctx, { run_id, reason: cancel_reason ?? '' })
    } catch (error) {
      // it has ended by itself, or its engine is away: the record tells
      if (!(error instanceof DomainError && (isOver(error.code) || isPassing(error.code) || error.code === 'conflict')))
        throw error
      again = true
    }
  }
  return { starts, moved: due.length > 0, again: again || stopping.length > AT_ONCE }
}

/** An archived workspace begins nothing; what it has under way waits. */
function putOff(children: ChildRecord[], now_ms: number): Map<string, StartFact> {
  return new Map(
    children.map(({ run_id }) => [
      run_id,
      { kind: 'later' as const, at_ms: now_ms + LATER_MS, reason: 'workspace_archived' },
    ]),
  )
}

function waitFor(now_ms: number, wake_at_ms: number | null): AdvanceOutcome {
  return {
    kind: 'wait',
    for_ms: wake_at_ms === null ? null : Math.max(1, wake_at_ms - now_ms),
    summary: wake_at_ms === null ? 'news of its runs' : 'news of its runs, or the time of a step',
  }
}

function endRecord({ services }: AdvanceDeps, { now_ms }: LoadedPipeline, at: PipelineSnapshot): AuditDraft {
  const { id, workspace_id, name, status } = at
  const lacking = notTakenBack(at)
  return {
    id: services.ids.next('audit'),
    ts: isoTime(now_ms),
    category: 'lineage',
    action: 'pipeline.ended',
    workspace_id,
    actor: { type: 'system', id: 'svc', auth: 'none' },
    channel: 'system',
    subject: { type: 'pipeline', id },
    data: {
      name,
      status,
      runs: at.children.map(({ run_id }) => run_id),
      ...(lacking.length > 0 && { not_taken_back: lacking }),
    },
  }
}
