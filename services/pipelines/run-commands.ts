import { DomainError, isEnded, isTransient } from '#core/errors.ts'
import type { ChildRecord, StartFact } from '#core/pipeline/snapshot.ts'
import { isTerminal } from '#core/run/status.ts'
import type { LoadedPipeline } from '#store/pipelines/pipelines.ts'
import type { DecisionContext, StartContext } from '../context.ts'
import { cancelRun } from '../runs/cancel-run.ts'
import type { WorkspaceEntry } from '../workspaces/workspace-directory.ts'
import { admitChildren, type ChildReads } from './admit-children.ts'
import { childContext } from './child-context.ts'
import type { AdvanceDeps } from './ports.ts'
import { startLater } from './start-layers.ts'

/** This many runs are started, and this many stopped, before the record is read again. */
const AT_ONCE = 20

export interface DoneCommands {
  /** why runs were not started */
  starts: ReadonlyMap<string, StartFact>
  /** true: there are further consequences, so the record has to be read again */
  moved: boolean
  /** something could not be done yet, and has to be tried again soon */
  again: boolean
}

/** Starts the runs that the record requests, and cancels those that it wants stopped. */
export async function runCommands(
  { services, workspaces, pipelines }: Pick<AdvanceDeps, 'services' | 'workspaces' | 'pipelines'>,
  loaded: LoadedPipeline,
): Promise<DoneCommands> {
  const { children } = loaded.snapshot
  const due = children.filter((child) => isDue(loaded, child))
  const stopping = children.filter((child) => isToStop(loaded, child))
  if (due.length + stopping.length === 0) return { starts: new Map(), moved: false, again: false }
  const { snapshot } = loaded
  const workspace = await workspaces.find(snapshot.workspace_id)
  const ctx = childContext(services, snapshot, workspace)
  const starts = await startDue({ ctx, reads: pipelines, workspace }, loaded, due)
  if (due.length > 0) services.notifyRun(snapshot.id)
  const stopped = await stopRuns(ctx, stopping.slice(0, AT_ONCE))
  return {
    starts: starts ?? new Map(),
    moved: starts === undefined || starts.size > 0 || due.length > AT_ONCE || leadsOn(loaded, due),
    again: !stopped || stopping.length > AT_ONCE,
  }
}

/** Tells whether starting these runs changes the pipeline further: a recorded obstacle is gone, or others of their list follow. */
function leadsOn({ snapshot }: LoadedPipeline, due: readonly ChildRecord[]): boolean {
  const steps = new Set(due.map(({ step_id }) => step_id))
  return snapshot.steps.some(({ id, reason, items }) => steps.has(id) && (reason !== null || items !== null))
}

function isDue({ runs, now_ms }: LoadedPipeline, { status, run_id, not_before_ms }: ChildRecord): boolean {
  return status === 'starting' && !runs.has(run_id) && (not_before_ms ?? 0) <= now_ms
}

function isToStop({ runs }: LoadedPipeline, { run_id, cancel_reason }: ChildRecord): boolean {
  const run = runs.get(run_id)
  return cancel_reason !== null && run !== undefined && run.status !== 'cancelling' && !isTerminal(run.status)
}

/** Returns why runs were not started; undefined when the record has changed meanwhile, and must be read again. */
async function startDue(
  { ctx, reads, workspace }: { ctx: StartContext; reads: ChildReads; workspace: WorkspaceEntry | undefined },
  loaded: LoadedPipeline,
  due: readonly ChildRecord[],
): Promise<ReadonlyMap<string, StartFact> | undefined> {
  // an archived workspace starts nothing; its open pipelines wait
  if (workspace?.status === 'archived')
    return new Map(due.map(({ run_id }) => [run_id, startLater(loaded.now_ms, 'workspace_archived')]))
  try {
    return await admitChildren(ctx, reads, loaded, due.slice(0, AT_ONCE))
  } catch (error) {
    if (error instanceof DomainError && error.code === 'conflict') return undefined
    throw error
  }
}

/** False when one of them could not be stopped yet. */
async function stopRuns(ctx: DecisionContext, stopping: readonly ChildRecord[]): Promise<boolean> {
  let all = true
  for (const { run_id, cancel_reason } of stopping) {
    try {
      await cancelRun(ctx, { run_id, reason: cancel_reason ?? '' })
    } catch (error) {
      // it has ended by itself, or its engine is unavailable: the record tells which
      if (
        !(error instanceof DomainError && (isEnded(error.code) || isTransient(error.code) || error.code === 'conflict'))
      )
        throw error
      all = false
    }
  }
  return all
}
