import type { ChatAnswer, ChatPiece, ChatToolCall } from '#core/models/chat.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import type { MicroUsd } from '#core/money.ts'
import type { Attempt } from './begin-attempt.ts'
import { makeAttempts } from './make-attempts.ts'
import type { CallContext, ModelContext } from './model-ports.ts'
import { type ModelCall, type PreparedCall, prepareCall, prepareStepCall } from './prepare-call.ts'
import type { StepCall } from './step-call.ts'
import { unlessFailed } from './unless-failed.ts'

/** An answer: all of it at once, or piece by piece as it comes. */
export interface WholeReply {
  /** id of the model that answered */
  model: string
  answer: ChatAnswer
  /** undefined when it could not be written down yet */
  cost: MicroUsd | undefined
}

export interface StreamedReply {
  model: string
  /** settled before its last piece is handed out; whoever stops reading ends the request, and pays for what it may have cost */
  pieces: AsyncGenerator<ChatPiece>
}

/**
 * The one way to a model: judged by policy, reserved under every cap, asked, settled and recorded. Throws `policy_denied`, `needs_approval`,
 * `frozen`, `halted`, `BudgetExceeded`, `run_terminal`, `not_found`, `not_configured`, `validation_failed`, `dependency_unavailable`.
 */
export async function callModel(ctx: ModelContext, call: ModelCall & { stream: true }): Promise<StreamedReply>
export async function callModel(ctx: ModelContext, call: ModelCall & { stream: false }): Promise<WholeReply>
export async function callModel(
  ctx: ModelContext,
  { stream, ...call }: ModelCall & { stream: boolean },
): Promise<StreamedReply | WholeReply> {
  const prepared = await prepareCall(ctx, call)
  return stream ? await askPiecewise(ctx, prepared) : await askWhole(ctx, prepared)
}

/**
 * The same way for a step of a run, which executeStep has judged, asked a person about where that was needed, and opened: the call is
 * reserved with the step. Throws what `callModel` throws, but for what judges.
 */
export async function callModelInStep(ctx: CallContext, call: StepCall): Promise<WholeReply> {
  return await askWhole(ctx, await prepareStepCall(ctx, call))
}

function askWhole(ctx: CallContext, call: PreparedCall): Promise<WholeReply> {
  return makeAttempts(ctx, call, {
    prepare: (model) => ctx.upstream.prepare(model, call.prompt, { stream: false }),
    async act(request, attempt) {
      const answer = await unlessFailed(attempt, () => ctx.upstream.generate(request, call.signal))
      return { model: request.model.id, answer, cost: await attempt.succeeded(answer) }
    },
  })
}

/** Nothing is retried after the first piece, because the caller has begun to read. */
function askPiecewise(ctx: CallContext, call: PreparedCall): Promise<StreamedReply> {
  return makeAttempts(ctx, call, {
    prepare: (model) => ctx.upstream.prepare(model, call.prompt, { stream: true }),
    async act(request, attempt) {
      const pieces = ctx.upstream.stream(request, call.signal)
      const first = await unlessFailed(attempt, () => pieces.next())
      return { model: request.model.id, pieces: settled(first, pieces, attempt) }
    },
  })
}

/** Passes the pieces on, and settles the attempt with the last one, or with whatever ends it early. */
async function* settled(
  first: IteratorResult<ChatPiece>,
  pieces: AsyncGenerator<ChatPiece>,
  attempt: Attempt,
): AsyncGenerator<ChatPiece> {
  const heard = createListener()
  let over = false
  try {
    for (let next = first; !next.done; next = await pieces.next()) {
      heard.hear(next.value)
      if (next.value.type === 'end') {
        over = true
        await attempt.succeeded({ ...heard.answer(), usage: next.value.usage })
      }
      yield next.value
    }
    if (!over) throw cutOff()
  } catch (error) {
    if (!over) await attempt.failed(error)
    over = true
    throw error
  } finally {
    // the reader has stopped
    if (!over) await attempt.failed(gone())
    await pieces.return(undefined)
  }
}

function createListener() {
  let content = ''
  const calls: ChatToolCall[] = []
  return {
    hear(piece: ChatPiece): void {
      if (piece.type === 'text') content += piece.text
      if (piece.type === 'tool_call')
        calls[piece.index] = { id: piece.id, type: 'function', function: { name: piece.name, arguments: '' } }
      const call = piece.type === 'tool_arguments' ? calls[piece.index] : undefined
      if (piece.type === 'tool_arguments' && call !== undefined) call.function.arguments += piece.text
    },
    answer: () => ({ content, tool_calls: calls }),
  }
}

const cutOff = () => new UpstreamError('lost', 'the answer was cut off')
const gone = () => new UpstreamError('aborted', 'whoever asked has gone')
