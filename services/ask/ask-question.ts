import type { AskAnswer, AskRequest, AskThread } from '#core/ask/ask-schema.ts'
import { groundedText } from '#core/ask/grounded-text.ts'
import { REMEMBERED_TURNS, SHOWN_TURNS, UNGROUNDED } from '#core/ask/limits.ts'
import type { Done } from '#core/attempt.ts'
import { DomainError } from '#core/errors.ts'
import { threadIdOfDelivery } from '#core/inbox/item.ts'
import { usdFromMicro } from '#core/money.ts'
import { isoTime } from '#core/time/time.ts'
import type { AskTurnRow } from '#store/ask/ask-threads.ts'
import { peopleBehind } from '../auth/create-people.ts'
import { defineVerb } from '../define-verb.ts'
import { type AskContext, ownerOf } from './ask-ports.ts'
import { recordTurn } from './record-turn.ts'
import { type ToolUpdate, type TurnOutcome, takeTurn } from './take-turn.ts'
import { ASK_TOOLS } from './tools/index.ts'

export interface AskHooks {
  /** aborted when the caller disconnects */
  signal: AbortSignal
  /** called with every tool call */
  onTool?(update: ToolUpdate): void
}

/**
 * Answers one question from the results of tools in the caller's workspace. It writes only its own record: the turn with its results, the
 * audit record and the event `ask.answered`, in one transaction. Throws what `callModel` throws; `not_configured` also where there is no
 * read-only way to the database.
 */
export const askQuestion = defineVerb(
  { role: 'viewer', access: 'write', scope: 'workspace' },
  async (
    ctx: AskContext,
    { query, thread_id, model = 'default' }: AskRequest & { model?: string },
    { signal, onTool = () => {} }: AskHooks,
  ): Promise<AskAnswer> => {
    const before = ctx.attempt?.done && (await answeredBefore(ctx, ctx.attempt.done))
    if (before !== undefined) return before
    await mustBeAbleToRead(ctx)
    const thread = await threadFor(ctx, thread_id)
    const turn_id = ctx.ids.next('ask_turn')
    const { turn_cap_micro_usd, day_cap_micro_usd } = ctx.ask
    const people = await peopleAsking(ctx)
    const outcome = await takeTurn(ctx, {
      query,
      model,
      before: thread.before,
      tools: ASK_TOOLS,
      signal,
      onTool,
      budget: { thread_id: thread.id, opens: thread.opens, turn_id, people, turn_cap_micro_usd, day_cap_micro_usd },
    })
    const turn: AskTurnRow = {
      id: turn_id,
      thread_id: thread.id,
      workspace_id: ctx.workspace_id,
      query,
      ...believed(outcome),
      tools_used: outcome.used,
      cost_micro_usd: await ctx.ask.threads.cost(turn_id),
      cap_micro_usd: turn_cap_micro_usd,
      model: outcome.model,
      created_at: isoTime(ctx.clock()),
    }
    await recordTurn(ctx, turn, outcome)
    return { thread_id: thread.id, ...toAnswer(turn) }
  },
)

/** Returns the turn as it is answered, and shown in its thread. */
function toAnswer(turn: AskTurnRow): Omit<AskAnswer, 'thread_id'> {
  const { id, answer, grounded, citations, tools_used, recommended_workflow, action, model, created_at } = turn
  const cost = { usd: usdFromMicro(turn.cost_micro_usd), cap_usd: usdFromMicro(turn.cap_micro_usd) }
  return { turn_id: id, answer, grounded, citations, tools_used, recommended_workflow, action, cost, model, created_at }
}

async function answeredBefore(ctx: AskContext, { subject, data }: Done): Promise<AskAnswer | undefined> {
  const thread_id = String(data['thread_id'])
  const turn = await ctx.ask.threads.turn(thread_id, subject.id, ownerOf(ctx))
  return turn && { thread_id, ...toAnswer(turn) }
}

/** The account itself, and everyone behind it: neither more threads nor more accounts make anybody's day longer. */
async function peopleAsking({ actor, accounts }: Pick<AskContext, 'actor' | 'accounts'>): Promise<string[]> {
  const others = actor.type === 'service' ? await peopleBehind(accounts, actor) : []
  return [...new Set([actor.id, ...others])]
}

async function mustBeAbleToRead({ ask }: AskContext): Promise<void> {
  const problem = ask.reads === undefined ? 'there is no database for it' : await ask.reads.problem()
  if (problem !== undefined)
    throw new DomainError(
      'not_configured',
      `The ask agent answers nothing until it can read without being able to write: ${problem}.`,
    )
}

/** A foreign thread is treated as an unknown one: a new one begins. */
async function threadFor(
  ctx: AskContext,
  asked: string | undefined,
): Promise<{ id: string; before: AskTurnRow[]; opens?: { account_id: string; owner_id: string } }> {
  const { threads } = ctx.ask
  const owner = ownerOf(ctx)
  if (asked !== undefined && (await threads.isTheirs(asked, owner)))
    return { id: asked, before: await threads.turns(asked, owner, REMEMBERED_TURNS) }
  const { account_id, owner_id } = owner
  // a repeat of the question that opened a thread continues it
  const id = ctx.attempt === undefined ? ctx.ids.next('ask_thread') : threadIdOfDelivery(ctx.attempt.id)
  return { id, before: [], opens: { account_id, owner_id } }
}

/** Returns the part of an answer that this turn's results back, or that there is none. */
function believed({
  text: answer,
  results,
  action,
  otherwise,
}: TurnOutcome): Pick<AskTurnRow, 'answer' | 'grounded' | 'citations' | 'action' | 'recommended_workflow'> {
  const { text, cited } = groundedText(answer, new Map(results.map(({ id, result }) => [id, result])))
  if (text === '')
    return { answer: UNGROUNDED[otherwise], grounded: false, citations: [], action: null, recommended_workflow: null }
  const citations = cited.flatMap((id) =>
    results.filter((each) => each.id === id).map(({ tool, ref, digest }) => ({ id, tool, ref, digest })),
  )
  const recommended_workflow = action === null ? null : `${action.pack}/${action.template}`
  return { answer: text, grounded: true, citations, action, recommended_workflow }
}

/** Returns a thread of the caller; a foreign or unknown one is empty. */
export async function getAskThread(
  ctx: Pick<AskContext, 'workspace_id' | 'actor' | 'ask'>,
  thread_id: string,
): Promise<AskThread> {
  const turns = await ctx.ask.threads.turns(thread_id, ownerOf(ctx), SHOWN_TURNS)
  return { thread_id, turns: turns.map((turn) => ({ query: turn.query, ...toAnswer(turn) })) }
}
