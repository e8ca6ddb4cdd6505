import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type {
  GateOutcome,
  GateSettlement,
  LaneActivities,
  LedgerActivities,
  LegOutcome,
  ParkedGate,
  RunLeg,
} from '#core/contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import { poll } from '#platform/embedded/processes.ts'

/** What one leg of a scripted run does. */
export type Leg = (leg: RunLeg) => LegOutcome | Promise<LegOutcome>

/** Every settlement that reached the record, in order, and by which way. */
export interface Settled extends GateSettlement {
  way: 'near' | 'ledger' | 'leg'
}

/** The activities of a run without operators or database: legs follow a script, and the first resolution of a gate stands. */
export function createScriptedActivities() {
  const scripts = new Map<string, Leg[]>()
  const resolutions = new Map<string, GateOutcome>()
  const settled: Settled[] = []
  const closed = new Map<string, 'fails' | 'hangs'>()

  const settle = (settlement: GateSettlement, way: Settled['way']): GateOutcome => {
    settled.push({ ...settlement, way })
    const { gate, resolution, command, cancel, approvals } = settlement
    const stored = resolutions.get(gate.gate_id)
    if (stored !== undefined) return stored
    const who = command ?? cancel
    const outcome: GateOutcome = {
      gate_id: gate.gate_id,
      status: resolution ?? 'open',
      resolved: resolution !== null,
      approvals,
      resolved_by: resolution === null ? null : (who?.by ?? 'system'),
      resolved_at: resolution === null ? null : new Date().toISOString(),
      channel: who?.channel ?? 'system',
    }
    if (outcome.resolved) resolutions.set(gate.gate_id, outcome)
    return outcome
  }
  const ledgerBy = (way: 'near' | 'ledger'): LedgerActivities => ({
    async settleGate(settlement) {
      const near = way === 'near' ? closed.get(settlement.run_id) : undefined
      if (near === 'fails') throw new Error('the database is away')
      if (near === 'hangs') await Context.current().cancelled
      return settle(settlement, way)
    },
    async beginCancel() {},
    async closeRun({ status }) {
      return { status }
    },
  })
  const lane: LaneActivities = {
    async advanceRun(leg) {
      const decided = leg.settle === null ? undefined : settle(leg.settle, 'leg').status
      if (decided !== undefined && decided !== 'approved' && decided !== 'open')
        return { kind: 'closed', status: decided }
      const next = scripts.get(leg.run_id)?.shift() ?? closes
      return await next(leg)
    },
  }
  return {
    lane: { ...lane, ...ledgerBy('near') },
    ledger: ledgerBy('ledger'),
    script: (runId: string, legs: Leg[]) => void scripts.set(runId, [...legs]),
    /** from now on the records of this run cannot be made beside the workflow task */
    closeNear: (runId: string, how: 'fails' | 'hangs') => void closed.set(runId, how),
    /** puts a resolution on record that the workflow has not heard of, as a crash between the two would */
    resolve(gateId: string, status: Exclude<GateStatus, 'open'>): void {
      resolutions.set(gateId, {
        gate_id: gateId,
        status,
        resolved: true,
        approvals: { have: 0, need: 1 },
        resolved_by: 'usr_before',
        resolved_at: new Date(0).toISOString(),
        channel: 'api',
      })
    },
    resolution: (gateId: string) => resolutions.get(gateId),
    /** something about the gate has reached the record */
    async settled(gateId: string): Promise<void> {
      const there = await poll(() => settled.find((each) => each.gate.gate_id === gateId), 20_000)
      if (there === undefined) throw new Error(`nothing was recorded about ${gateId}`)
    },
    settlements: (gateId: string) => settled.filter((each) => each.gate.gate_id === gateId),
  }
}

export type ScriptedActivities = ReturnType<typeof createScriptedActivities>

export const closes: Leg = () => ({ kind: 'closed', status: 'succeeded' })
export const yields: Leg = () => ({ kind: 'yielded' })
export const delays: Leg = () => ({ kind: 'delayed', delay_ms: 20, reason: 'the second try of step act' })
export const fails: Leg = () => {
  throw ApplicationFailure.nonRetryable('there is no record of the run', 'not_found')
}

/** Runs until it is told to stop, as an operator does. */
export const runsUntilCancelled: Leg = async () => {
  const context = Context.current()
  const beating = setInterval(() => context.heartbeat(), 100)
  try {
    return await context.cancelled
  } catch {
    return { kind: 'stopped' }
  } finally {
    clearInterval(beating)
  }
}

/** Parks the run on its gate; the TTL counts from the moment the leg reports. */
export const parks =
  (
    options: {
      ttl_ms?: number
      approvals?: number
      gate?: string
      /** null: the time is not said, as it was not before early signals counted */
      opens_in_ms?: number | null
      onParked?: (gate: ParkedGate) => void | Promise<void>
    } = {},
  ): Leg =>
  async (leg) => {
    const gate: ParkedGate = {
      gate_id: gateOf(leg.run_id, options.gate),
      step: 'act',
      plan_hash: leg.plan.digest,
      ...(options.opens_in_ms !== null && {
        opened_at: new Date(Date.now() + (options.opens_in_ms ?? 0)).toISOString(),
      }),
      expires_at: new Date(Date.now() + (options.ttl_ms ?? 3_600_000)).toISOString(),
      required: { approvals: options.approvals ?? 1, approval_roles: [], prevent_self: false },
      requested_by: null,
    }
    await options.onParked?.(gate)
    return { kind: 'parked', gate }
  }

/** A scripted run has one gate, and others by name. */
export const gateOf = (runId: string, name?: string) => `gate_${runId}${name === undefined ? '' : `_${name}`}`
