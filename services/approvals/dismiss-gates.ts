import { DomainError, isFailure } from '#core/errors.ts'
import { HOUR_MS } from '#core/time/time.ts'
import type { StaleGate, StaleGates } from '#store/gates/stale-gates.ts'
import type { DecisionContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { expireGate } from './expire-gate.ts'
import { decisionIdFor } from './gate-decision.ts'

export interface GateSelection {
  run_ids?: string[]
  older_than_hours?: number
  pack?: string
  environment?: string
}

export interface BulkDismissal extends GateSelection {
  reason: string
  /** shows what would be dismissed, and answers a token for it */
  dry_run?: boolean
  /** of a dry run: dismisses only if the same gates still match */
  token?: string
}

export interface Dismissed {
  /** ids of runs */
  dismissed: string[]
  skipped: { run_id: string; why: string }[]
  token?: string
}

const DEFAULT_AGE_HOURS = 24
/** Beyond this many a second call takes the rest. */
const MAX = 500
const AT_ONCE = 8

/** Dismisses every matching stale gate, each like one alone: its run ends as `expired` with the recorded reason. */
export const dismissGates = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (
    ctx: DecisionContext & { stale: StaleGates },
    { reason, dry_run, token, ...selection }: BulkDismissal,
  ): Promise<Dismissed> => {
    const gates = await findGates(ctx, selection)
    const before = ctx.attempt?.again ? await ctx.stale.dismissedAs(ctx.workspace_id, decisionIdFor(ctx)) : []
    const current = tokenOf(ctx, [...before, ...gates])
    const missed = (selection.run_ids ?? [])
      .filter((id) => ![...before, ...gates].some((gate) => gate.run_id === id))
      .map((run_id) => ({ run_id, why: 'not_stale' }))
    if (dry_run) return { dismissed: gates.map((gate) => gate.run_id), skipped: missed, token: current }
    if (token !== undefined && token !== current) {
      throw new DomainError('plan_changed', 'Other gates fit now than in the dry run; look again.', { token: current })
    }
    const skipped = [...missed]
    const dismissed = before.map((gate) => gate.run_id)
    const waiting = [...gates]
    const work = async () => {
      for (let gate = waiting.shift(); gate !== undefined; gate = waiting.shift()) {
        const why = await dismissOne(ctx, gate, reason)
        if (why === undefined) dismissed.push(gate.run_id)
        else skipped.push({ run_id: gate.run_id, why })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return { dismissed, skipped }
  },
)

async function findGates(ctx: DecisionContext & { stale: StaleGates }, selection: GateSelection): Promise<StaleGate[]> {
  const { run_ids, older_than_hours, pack, environment } = selection
  if (Object.values(selection).every((selector) => selector === undefined)) {
    const msg = 'name at least one of run_ids, older_than_hours, pack, environment'
    throw new DomainError('validation_failed', `Nothing is selected: ${msg}.`, {
      errors: [{ pointer: '', loc: [], msg, type: 'no_selector' }],
    })
  }
  const age_hours = older_than_hours ?? (run_ids === undefined ? DEFAULT_AGE_HOURS : 0)
  return await ctx.stale.find(
    {
      workspace_id: ctx.workspace_id,
      run_ids: run_ids ?? null,
      older_than_ms: age_hours * HOUR_MS,
      pack: pack ?? null,
      environment: environment ?? null,
    },
    MAX,
  )
}

/** Dismisses one gate; returns why it could not, or undefined. An earlier decision wins; a gate that its run opened since is another. */
async function dismissOne(
  ctx: DecisionContext,
  { run_id, gate_id }: StaleGate,
  reason: string,
): Promise<string | undefined> {
  try {
    await expireGate(ctx, { run_id, gate_id, reason })
    return undefined
  } catch (error) {
    // a repeat under the same key continues with the others
    const isRepeatable = ctx.attempt !== undefined && error instanceof DomainError && isFailure(error.code)
    if (error instanceof DomainError && !isRepeatable) return error.code
    throw error
  }
}

/** Identifies the matching gates. It proves and allows nothing: it only tells whether they are still the same. */
function tokenOf(ctx: DecisionContext, gates: StaleGate[]): string {
  return ctx.sha256(
    gates
      .map((gate) => gate.gate_id)
      .sort()
      .join('\n'),
  )
}
