import type { RunClaim } from '#core/contract.ts'
import { createLru } from '#core/lru.ts'
import type { LaneSlot } from '#store/lane-slots.ts'
import type { ActivityDeps } from '../deps.ts'
import { laneOfQueue } from './lane-slots.ts'

const FIRST_DELAY_MS = 250
const GROWTH = 1.5
const LONGEST_DELAY_MS = 15_000
const REMEMBERED = 10_000

const UNLIMITED: LaneSlot = { release: async () => undefined }

type Turn = { kind: 'taken'; slot: LaneSlot } | { kind: 'full'; delay_ms: number }

/** Lets an execution begin when its workspace has room in the lane. How long a run has waited is remembered here, and only sets its pace. */
export function createWorkspaceTurns(deps: Pick<ActivityDeps, 'workspaces' | 'slots'>) {
  const waits = createLru<string, number>(REMEMBERED)

  return async function takeTurn(claim: Pick<RunClaim, 'run_id' | 'workspace_id'>, taskQueue: string): Promise<Turn> {
    const lane = laneOfQueue(taskQueue)
    const limit = lane === undefined ? undefined : (await deps.workspaces.find(claim.workspace_id))?.limits[lane]
    if (lane === undefined || limit === undefined) return { kind: 'taken', slot: UNLIMITED }
    const slot = await deps.slots.take(claim.workspace_id, lane, limit)
    const waited = waits.get(claim.run_id) ?? 0
    waits.delete(claim.run_id)
    if (slot !== undefined) return { kind: 'taken', slot }
    waits.set(claim.run_id, waited + 1)
    return { kind: 'full', delay_ms: Math.round(Math.min(FIRST_DELAY_MS * GROWTH ** waited, LONGEST_DELAY_MS)) }
  }
}
