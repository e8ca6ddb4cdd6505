import { cloudEvent } from '#core/bus/cloud-event.ts'
import type { JsonObject } from '#core/json/json.ts'
import { usdText } from '#core/money.ts'
import type { AskTurnRow } from '#store/ask/ask-threads.ts'
import { auditBy } from '../audit/read-audit.ts'
import type { AskContext } from './ask-ports.ts'
import type { TurnOutcome } from './take-turn.ts'

/** Records an answer: the turn with its results, the audit record and the event of the same name, in one transaction. */
export async function recordTurn(
  ctx: AskContext,
  turn: AskTurnRow,
  { results, refused }: Pick<TurnOutcome, 'results' | 'refused'>,
): Promise<void> {
  const data: JsonObject = {
    thread_id: turn.thread_id,
    turn_id: turn.id,
    query: turn.query,
    grounded: turn.grounded,
    tools_used: turn.tools_used.map(({ name, args_hash, rows }) => ({ name, args_hash, rows })),
    tool_calls_refused: refused,
    recommended_workflow: turn.recommended_workflow,
    ...(turn.action !== null && { plan_hash: turn.action.plan_hash }),
    citations: turn.citations.map(({ id, tool, ref, digest }) => ({ id, tool, ref, digest })),
    answer_digest: `sha256:${ctx.sha256(turn.answer)}`,
    cost_usd: usdText(turn.cost_micro_usd),
    cap_usd: usdText(turn.cap_micro_usd),
    model: turn.model,
  }
  const audit = auditBy(ctx, {
    category: 'ask',
    action: 'ask.answered',
    workspace_id: ctx.workspace_id,
    subject: { type: 'ask_turn', id: turn.id },
    data,
  })
  const event = cloudEvent({
    id: turn.id,
    source: 'svc/ask',
    type: 'ask.answered',
    subject: turn.id,
    time: turn.created_at,
    workspace_id: ctx.workspace_id,
    partitionkey: turn.thread_id,
    data: { ...data, actor: { type: ctx.actor.type, id: ctx.actor.id } },
  })
  await ctx.ask.threads.record({ turn, results, audit, event })
}
