import type { Actor } from '#core/actor.ts'
import { DomainError, isConflict, isEnded } from '#core/errors.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { Decidable } from '#store/runs/run-answers.ts'
import { decideGate } from '../approvals/decide-gate.ts'
import type { DecisionContext } from '../context.ts'
import { cancelRun } from '../runs/cancel-run.ts'

/** The actor when a rule ends a run on recovery. */
const RECOVERY: Actor = {
  type: 'system',
  id: 'system',
  display: 'recovery',
  account_id: '',
  roles: ['operator'],
  approval_roles: [],
  scopes: [],
  workspaces: '*',
  auth: 'none',
}
const CLEARED = 'every alert of this run is resolved'

/**
 * Acts once all alerts of a run are resolved, as the rule that started it configures: `withdraw` closes the open gate, `cancel` ends the
 * run, `record` leaves both to people. Repeating it is harmless.
 */
export async function actOnRecovery(ctx: DecisionContext, rules: readonly TriggerRule[], runId: string): Promise<void> {
  if (rules.every((rule) => rule.on_resolved === 'record')) return
  const found = await ctx.runs.findDecidable(ctx.workspace_id, runId)
  const wanted = found && rules.find((rule) => rule.name === ruleOf(found))?.on_resolved
  const system = { ...ctx, actor: RECOVERY, channel: 'system' as const }
  try {
    if (wanted === 'withdraw' && found?.gate_status === 'open')
      await decideGate(system, { run_id: runId, kind: 'cleared', note: CLEARED })
    if (wanted === 'cancel') await cancelRun(system, { run_id: runId, reason: CLEARED })
  } catch (error) {
    // decided meanwhile: there is nothing left to withdraw
    if (!(error instanceof DomainError && (isConflict(error.code) || isEnded(error.code)))) throw error
  }
}

function ruleOf({ provenance }: Decidable): string | undefined {
  const trigger = provenance['trigger']
  const rule = trigger !== null && typeof trigger === 'object' && !Array.isArray(trigger) ? trigger['rule'] : undefined
  return typeof rule === 'string' ? rule : undefined
}
