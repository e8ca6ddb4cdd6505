import type { Lane } from '#core/contract.ts'
import { perLane } from '#core/run/lane.ts'
import type { HealthViews } from '#store/health.ts'
import type { LaneFigures, LaneFigureViews } from '#store/lane-figures.ts'

export interface LanePorts {
  figures: LaneFigureViews
  health: Pick<HealthViews, 'freshWorkers'>
  /** operations that each worker runs at once */
  limits: Record<Lane, number>
}

export interface LaneHealth extends LaneFigures {
  /** operations that all workers together run at once */
  limit: number
}

const FRESH_WORKER_MS = 10_000
const WINDOW_MS = 300_000

/** Returns the state of the lanes, with the waits of the last five minutes. */
export async function reportLanes({ figures, health, limits }: LanePorts): Promise<Record<Lane, LaneHealth>> {
  const [lanes, slots] = await Promise.all([figures.lanes(WINDOW_MS), laneSlots({ health, limits })])
  return perLane((lane) => ({ limit: slots[lane], ...lanes[lane] }))
}

/** Slots of each lane over all workers that live, taking them to be set as this process is. */
export async function laneSlots({
  health,
  limits,
}: Pick<LanePorts, 'health' | 'limits'>): Promise<Record<Lane, number>> {
  const beats = await health.freshWorkers(FRESH_WORKER_MS)
  return perLane((lane) => limits[lane] * beats.filter((beat) => beat.lanes.includes(lane)).length)
}
