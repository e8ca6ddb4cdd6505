import type { AskThread } from '#core/ask/ask-schema.ts'
import { SHOWN_TURNS } from '#core/ask/limits.ts'
import { type AskContext, ownerOf } from './ask-ports.ts'
import { toAnswer } from './ask-question.ts'

/** What was asked and answered in a thread of the caller's. One that is not theirs is as empty as one that never was. */
export async function getAskThread(
  ctx: Pick<AskContext, 'workspace_id' | 'actor' | 'ask'>,
  thread_id: string,
): Promise<AskThread> {
  const turns = await ctx.ask.threads.turns(thread_id, ownerOf(ctx), SHOWN_TURNS)
  return { thread_id, turns: turns.map((turn) => ({ query: turn.query, ...toAnswer(turn) })) }
}
