import type { AskAction, AskToolUse } from '#core/ask/ask-schema.ts'
import { ANSWER_TOKENS, MAX_CALLS, MAX_ROUNDS, MAX_SHOWN_CHARS, type Ungrounded } from '#core/ask/limits.ts'
import { DomainError } from '#core/errors.ts'
import type { ChatMessage, ChatToolCall } from '#core/models/chat.ts'
import type { AskResultRow, AskTurnRow } from '#store/ask/ask-threads.ts'
import { callModel, type WholeReply } from '../models/call-model.ts'
import type { AskBudget } from '../models/model-call.ts'
import type { AskContext } from './ask-ports.ts'
import { dataMessage, errorMessage, offered, openingMessages } from './conversation.ts'
import type { AskTool } from './define-ask-tool.ts'
import { lookUp } from './look-up.ts'
import { parseArguments, ToolRefusal } from './run-tool.ts'

/** An update about a running turn. */
export interface ToolUpdate {
  id: string
  name: string
  ref: string
  rows: number
  ms: number
}

export interface TurnQuestion {
  query: string
  /** a role, or the id of a model */
  model: string
  before: readonly AskTurnRow[]
  budget: AskBudget
  tools: readonly AskTool[]
  signal: AbortSignal
  onTool(update: ToolUpdate): void
}

/** The model's answer, with everything it was shown. None of it is verified yet. */
export interface TurnOutcome {
  text: string
  model: string
  results: AskResultRow[]
  used: AskToolUse[]
  /** calls that were turned down: unknown names, arguments that do not fit, more than there may be */
  refused: number
  action: AskAction | null
  /** the reason if there is no answer */
  otherwise: Ungrounded
}

type State = Omit<TurnOutcome, 'text' | 'otherwise'> & { messages: ChatMessage[]; calls: number }

/**
 * Calls the model until it answers: it may call tools, gets their results or the reasons of their failure, and has to answer in the last
 * round. Reaching a cap ends the turn with the results so far; one without any room is `BudgetExceeded`, as `callModel` throws it.
 */
export async function takeTurn(ctx: AskContext, question: TurnQuestion): Promise<TurnOutcome> {
  const messages = openingMessages(question.query, question.before)
  const state: State = { model: '', messages, calls: 0, results: [], used: [], refused: 0, action: null }
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const last = round === MAX_ROUNDS || state.calls >= MAX_CALLS
    const reply = await askOnce(ctx, question, { messages, last }).catch((error: unknown) => {
      if (round > 1 && error instanceof DomainError && error.code === 'BudgetExceeded') return undefined
      throw error
    })
    if (reply === undefined) return { ...state, text: '', otherwise: 'over_budget' }
    state.model = reply.model
    const { content, refusal, tool_calls } = reply.answer
    if (last || tool_calls.length === 0)
      return { ...state, text: content || (refusal ?? ''), otherwise: 'nothing_found' }
    messages.push({ role: 'assistant', content: content || null, tool_calls: tool_calls.map(repeatable) })
    for (const call of tool_calls) messages.push(await answerCall(ctx, question, state, call))
  }
  return { ...state, text: '', otherwise: 'nothing_found' }
}

function askOnce(
  ctx: AskContext,
  { budget, model, tools, signal }: TurnQuestion,
  { messages, last }: { messages: ChatMessage[]; last: boolean },
): Promise<WholeReply> {
  const prompt = {
    messages,
    tools: offered(tools),
    tool_choice: last ? ('none' as const) : ('auto' as const),
    max_tokens: ANSWER_TOKENS,
  }
  return callModel(ctx, { model, prompt, ask: budget, signal, stream: false })
}

async function answerCall(
  ctx: AskContext,
  question: TurnQuestion,
  state: State,
  call: ChatToolCall,
): Promise<ChatMessage> {
  state.calls += 1
  if (state.calls > MAX_CALLS)
    return refuse(state, call, `there were ${MAX_CALLS} calls already: answer with what you have`)
  if (state.results.reduce((sum, { result }) => sum + result.length, 0) >= MAX_SHOWN_CHARS)
    return refuse(state, call, 'there is no room for more results: answer with what you have')
  try {
    const number = state.results.length + 1
    const { results, left_out, use, action } = await lookUp(ctx, question, { ...call.function, number })
    state.results.push(...results)
    state.used.push(use)
    if (action !== undefined) state.action = action
    const [{ id, ref }] = results
    question.onTool({ id, name: use.name, ref, rows: use.rows, ms: use.ms })
    return dataMessage(call.id, results, left_out)
  } catch (error) {
    if (error instanceof ToolRefusal) return refuse(state, call, error.message)
    throw error
  }
}

/** A call as it can be shown to a provider again, which takes no arguments that are not JSON. */
function repeatable(call: ChatToolCall): ChatToolCall {
  try {
    parseArguments(call.function.arguments)
    return call
  } catch {
    return { ...call, function: { ...call.function, arguments: '{}' } }
  }
}

function refuse(state: State, call: ChatToolCall, why: string): ChatMessage {
  state.refused += 1
  return errorMessage(call.id, why)
}
