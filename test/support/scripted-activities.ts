import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import {
  type AdvanceOutcome,
  CLAIM_REFUSED,
  type DecisionClaim,
  type GateCommand,
  type GateOutcome,
  type GateSignal,
  type LaneActivities,
  type LedgerActivities,
  type RefusedCommand,
  type RunClaim,
} from '#core/contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import { poll } from '#platform/embedded/processes.ts'
import { PATIENCE } from './patience.ts'

/** What one execution of a scripted run does. */
export type Execution = (
  execution: RunClaim & { open(gate: ScriptedGate): void; delay(ms: number): void },
) => AdvanceOutcome | Promise<AdvanceOutcome>

export interface ScriptedGate {
  gate_id: string
  run_id: string
  approvals: number
  until_ms: number
}

/** One thing that was written about a gate, in order, and by which way. */
export interface Written {
  gate_id: string
  way: 'local' | 'ledger'
  decision_id: string
  resolution: Exclude<GateStatus, 'open'> | null
  /** who decided; null when nobody did in time */
  command: { by: string; kind: string; channel: string } | null
}

interface GateRow extends ScriptedGate {
  votes: { by: string; decision_id: string }[]
  outcome: GateOutcome | undefined
}

/** The activities of a run without operators or database: executions follow a script, and a record in memory decides. */
export function createScriptedActivities() {
  const scripts = new Map<string, Execution[]>()
  const gates = new Map<string, GateRow>()
  const cancelling = new Set<string>()
  const written: Written[] = []
  const refused: { run_id: string; given: unknown; code: string }[] = []
  const closed = new Map<string, 'fails' | 'hangs'>()
  const executions = new Map<string, number>()
  const delayed = new Map<string, number>()
  const forged = new Map<string, unknown[]>()
  const failures: { run_id: string; failure: string }[] = []

  const openOf = (runId: string) => [...gates.values()].find((gate) => gate.run_id === runId && !gate.outcome)

  function resolve(
    gate: GateRow,
    status: Exclude<GateStatus, 'open'>,
    by: string,
    channel: 'api' | 'system',
  ): GateOutcome {
    gate.outcome ??= {
      gate_id: gate.gate_id,
      status,
      resolved: true,
      approvals: { have: gate.votes.length, need: gate.approvals },
      resolved_by: by,
      resolved_at: new Date().toISOString(),
      channel,
    }
    return gate.outcome
  }

  function decide(claim: DecisionClaim, way: Written['way']): GateOutcome | RefusedCommand {
    const command = commandIn(claim, openOf(claim.run_id)?.gate_id)
    const refuse = (code: RefusedCommand['refused']): RefusedCommand => {
      refused.push({ run_id: claim.run_id, given: claim.given, code })
      return { refused: code }
    }
    const gate = gates.get(command.gate_id)
    if (gate === undefined) return refuse('run_not_awaiting')
    const before = written.find((each) => each.decision_id === command.decision_id)
    const approvals = { have: gate.votes.length, need: gate.approvals }
    const open: GateOutcome = {
      ...{ gate_id: gate.gate_id, status: 'open', resolved: false, approvals, resolved_by: null, resolved_at: null },
      channel: 'api',
    }
    if (before !== undefined) return before.resolution !== null && gate.outcome ? gate.outcome : open
    if (gate.outcome) return refuse('gate_resolved')
    if (gate.votes.some((vote) => vote.by === command.by)) return refuse('conflict')
    const { by, kind, channel, decision_id } = command
    if (kind === 'approve') gate.votes.push({ by, decision_id })
    const waits = kind === 'approve' && gate.votes.length < gate.approvals
    const status = kind === 'approve' ? 'approved' : kind === 'reject' ? 'rejected' : 'expired'
    written.push({
      ...{ gate_id: gate.gate_id, way, decision_id },
      resolution: waits ? null : status,
      command: { by, kind, channel },
    })
    if (!waits) return resolve(gate, status, by, 'api')
    return { ...open, approvals: { have: gate.votes.length, need: gate.approvals } }
  }

  const ledgerBy = (way: Written['way']): LedgerActivities => ({
    async recordDecision(claim) {
      const fault = way === 'local' ? closed.get(claim.run_id) : undefined
      if (fault === 'fails') throw new Error('the database is away')
      if (fault === 'hangs') await Context.current().cancelled
      return decide(claim, way)
    },
    async expireGate({ gate_id }) {
      const gate = gates.get(gate_id)
      if (gate === undefined) throw ApplicationFailure.nonRetryable('no such gate', CLAIM_REFUSED)
      const remaining_ms = Math.max(0, gate.until_ms - Date.now())
      if (gate.outcome === undefined && remaining_ms === 0) {
        written.push({ gate_id, way, decision_id: `ttl/${gate_id}`, resolution: 'expired', command: null })
        resolve(gate, 'expired', 'system', 'system')
      }
      return { status: gate.outcome?.status ?? 'open', remaining_ms }
    },
    async recordCancel({ run_id }) {
      const gate = openOf(run_id)
      cancelling.add(run_id)
      if (gate === undefined) return { status: 'cancelling' }
      written.push({ gate_id: gate.gate_id, way, decision_id: 'cancel', resolution: 'cancelled', command: null })
      resolve(gate, 'cancelled', 'usr_1', 'api')
      return { status: 'cancelled' }
    },
    async readDelay({ run_id }) {
      return { remaining_ms: Math.max(0, (delayed.get(run_id) ?? 0) - Date.now()) }
    },
    async closeRun({ run_id, failure }) {
      if (failure === null && !cancelling.has(run_id))
        throw ApplicationFailure.nonRetryable('not cancelling', CLAIM_REFUSED)
      if (failure !== null) failures.push({ run_id, failure })
      return { status: cancelling.has(run_id) ? 'cancelled' : 'failed' }
    },
  })
  const lane: LaneActivities = {
    async advanceRun(claim) {
      if (Object.keys(claim).length !== 3) throw ApplicationFailure.nonRetryable('another shape', CLAIM_REFUSED)
      executions.set(claim.run_id, (executions.get(claim.run_id) ?? 0) + 1)
      if (cancelling.has(claim.run_id)) return { kind: 'cancelling' }
      const ended = [...gates.values()].findLast((gate) => gate.run_id === claim.run_id)?.outcome?.status
      if (ended !== undefined && ended !== 'approved' && ended !== 'open') return { kind: 'closed', status: ended }
      // an execution of a run that waits finds its gate, and acts on nothing
      const open = openOf(claim.run_id)
      if (open !== undefined) return { kind: 'parked', gate_id: open.gate_id, step: 'act' }
      const next = scripts.get(claim.run_id)?.shift() ?? closes
      return await next({
        ...claim,
        delay: (ms) => void delayed.set(claim.run_id, Date.now() + ms),
        open: (gate) => void gates.set(gate.gate_id, { ...gate, votes: [], outcome: undefined }),
      })
    },
  }
  return {
    lane: { ...lane, ...answered(ledgerBy('local'), forged) },
    ledger: answered(ledgerBy('ledger'), forged),
    /** somebody else answers the next times that this is asked of a run, by either way */
    forge: (runId: string, name: keyof LedgerActivities, results: unknown[]) =>
      void forged.set(`${runId}/${name}`, [...results]),
    script: (runId: string, each: Execution[]) => void scripts.set(runId, [...each]),
    /** from now on decisions of this run cannot be recorded beside the workflow task */
    closeNear: (runId: string, how: 'fails' | 'hangs') => void closed.set(runId, how),
    /** puts a resolution on record that the workflow does not know of */
    resolve(gateId: string, status: Exclude<GateStatus, 'open'>): void {
      const gate = gates.get(gateId)
      if (gate === undefined) throw new Error(`${gateId} is not open`)
      resolve(gate, status, 'usr_before', 'api')
    },
    failures,
    executions: (runId: string) => executions.get(runId) ?? 0,
    refused: (runId: string) => refused.filter((each) => each.run_id === runId),
    /** something that came to this run was refused */
    async untilRefused(runId: string): Promise<void> {
      const there = await poll(() => refused.find((each) => each.run_id === runId), PATIENCE.timeout)
      if (there === undefined) throw new Error(`nothing was refused of ${runId}`)
    },
    written: (gateId: string) => written.filter((each) => each.gate_id === gateId),
  }
}

function answered(genuine: LedgerActivities, forged: Map<string, unknown[]>): LedgerActivities {
  const entries = Object.entries(genuine).map(([name, act]) => [
    name,
    async (claim: RunClaim) => {
      const results = forged.get(`${claim.run_id}/${name}`) ?? []
      return results.length > 0 ? results.shift() : await (act as (claim: RunClaim) => Promise<unknown>)(claim)
    },
  ])
  return Object.fromEntries(entries) as LedgerActivities
}

function commandIn({ given, signal }: DecisionClaim, open: string | undefined) {
  if (signal === undefined) return given as GateCommand
  const { decision, gate_id } = given as GateSignal
  return {
    gate_id: gate_id ?? signal.gate_id ?? open ?? '',
    decision_id: signal.decision_id,
    kind: decision,
    by: 'temporal',
    channel: 'temporal',
  }
}

export type ScriptedActivities = ReturnType<typeof createScriptedActivities>

export const closes: Execution = () => ({ kind: 'closed', status: 'succeeded' })
export const yields: Execution = () => ({ kind: 'yielded' })
export const delays: Execution = () => ({ kind: 'delayed', delay_ms: 20, reason: 'the second try of step act' })
export const fails: Execution = () => {
  throw ApplicationFailure.nonRetryable('the plan is not what its digest says', 'internal')
}

/** Fails as when its database is away: the next attempt may do better. */
export const breaks: Execution = () => {
  throw new Error('the database is away')
}

/** Runs until it is told to stop, as an operator does. */
export const runsUntilCancelled: Execution = async () => {
  const context = Context.current()
  const beating = setInterval(() => context.info.isLocal || context.heartbeat(), 100)
  try {
    return await context.cancelled
  } catch {
    return { kind: 'stopped' }
  } finally {
    clearInterval(beating)
  }
}

/** Parks the run on its gate; the TTL counts from the moment the gate opens. */
export const parks =
  (
    options: {
      ttl_ms?: number
      /** by how much the record's clock is behind that of anyone who set the timer */
      late_ms?: number
      approvals?: number
      gate?: string
      onParked?: (gate: ScriptedGate) => void | Promise<void>
    } = {},
  ): Execution =>
  async ({ run_id, open }) => {
    const wait_ms = options.ttl_ms ?? 3_600_000
    const gate: ScriptedGate = {
      gate_id: gateOf(run_id, options.gate),
      run_id,
      approvals: options.approvals ?? 1,
      until_ms: Date.now() + wait_ms + (options.late_ms ?? 0),
    }
    open(gate)
    await options.onParked?.(gate)
    return { kind: 'parked', gate_id: gate.gate_id, step: 'act' }
  }

/** A scripted run has one gate, and others by name. */
export const gateOf = (runId: string, name?: string) => `gate_${runId}${name === undefined ? '' : `_${name}`}`
