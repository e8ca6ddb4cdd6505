import type { ChatAnswer, ChatPiece, ChatToolCall } from '#core/models/chat.ts'
import type { LimitField, ReachableModel } from '#core/models/model.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import type { MicroUsd } from '#core/money.ts'
import type { ServiceContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { type Attempt, unlessFailed } from './begin-attempt.ts'
import { makeAttempts } from './make-attempts.ts'
import type { ModelCall, StepCall } from './model-call.ts'
import type { CallContext, ModelContext } from './model-ports.ts'
import { type PreparedCall, prepareCall, prepareStepCall } from './prepare-call.ts'
import { refuseUpstream } from './refuse-reservation.ts'

/** A caller waits this long for the head of a stream: then it gets one, and later outcomes follow in the stream. */
const SILENT_MS = 1_000

/** An answer: complete, or piece by piece. */
export interface WholeReply {
  /** id of the model that answered */
  model: string
  answer: ChatAnswer
  /** undefined when it could not be written down yet */
  cost: MicroUsd | undefined
}

/** The first piece: the model whose answer begins. */
export interface Begun {
  type: 'begin'
  model: string
}

export interface StreamedReply {
  /** undefined where no answer has begun yet, and the caller should not wait for that in silence */
  model: string | undefined
  /** settled before its last piece; a reader that stops early ends the request, and pays for what it may have cost */
  pieces: AsyncGenerator<Begun | ChatPiece>
}

/**
 * Calls a model; the only way to do so: judged by policy, reserved under every cap, sent, settled and recorded. Throws `policy_denied`,
 * `needs_approval`, `frozen`, `halted`, `BudgetExceeded`, `run_terminal`, `not_found`, `not_configured`, `validation_failed`,
 * `rate_limited`, `dependency_unavailable`; where a stream has begun, its pieces do.
 */
export async function callModel(ctx: ModelContext, call: ModelCall & { stream: true }): Promise<StreamedReply>
export async function callModel(ctx: ModelContext, call: ModelCall & { stream: false }): Promise<WholeReply>
export async function callModel(
  ctx: ModelContext,
  call: ModelCall & { stream: boolean },
): Promise<StreamedReply | WholeReply>
export async function callModel(
  ctx: ModelContext,
  { stream, ...call }: ModelCall & { stream: boolean },
): Promise<StreamedReply | WholeReply> {
  const prepared = await prepareCall(ctx, call)
  return stream ? await askPiecewise(ctx, prepared) : await askWhole(ctx, prepared)
}

/** Calls a model for an operator. The ask agent calls one for any permitted user. */
export const createChatCompletion = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: ModelContext & Pick<ServiceContext, 'actor'>, call: ModelCall & { stream: boolean }) =>
    await callModel(ctx, call),
)

/**
 * Calls a model for a step of a run, which executeStep has judged, approved and opened: the call is reserved with the step. Throws what
 * `callModel` throws, except errors of judging.
 */
export async function callModelInStep(ctx: CallContext, call: StepCall): Promise<WholeReply> {
  return await askWhole(ctx, await prepareStepCall(ctx, call))
}

function askWhole(ctx: CallContext, call: PreparedCall): Promise<WholeReply> {
  return makeAttempts(ctx, call, {
    prepare: (model) => ctx.upstream.prepare(withField(model, call.limit_field), call.prompt, { stream: false }),
    async act(request, attempt) {
      const answer = await unlessFailed(attempt, () => ctx.upstream.generate(request, call.signal))
      return { model: request.model.id, answer, cost: await attempt.succeeded(answer) }
    },
  })
}

function withField(model: ReachableModel, limit_field: LimitField | undefined): ReachableModel {
  return limit_field === undefined ? model : { ...model, limit_field }
}

/** Nothing is retried after the first piece, because the caller has begun to read. */
async function askPiecewise(ctx: CallContext, call: PreparedCall): Promise<StreamedReply> {
  let reportSlow = () => {}
  const slow = new Promise<void>((resolve) => {
    reportSlow = resolve
  })
  const timer = setTimeout(reportSlow, SILENT_MS)
  const opening = makeAttempts(ctx, call, {
    prepare: (model) => ctx.upstream.prepare(model, call.prompt, { stream: true }),
    async act(request, attempt) {
      const pieces = ctx.upstream.stream(request, call.signal)
      const first = await unlessFailed(attempt, () => pieces.next())
      return { model: request.model.id, pieces: settled(request.model.id, first, pieces, attempt) }
    },
  }).finally(() => clearTimeout(timer))
  const reply = await Promise.race([opening, slow])
  if (reply !== undefined) return reply
  // readers of the pieces get the error
  opening.catch(() => {})
  return { model: undefined, pieces: piecesOf(opening) }
}

async function* piecesOf(opening: Promise<StreamedReply>): StreamedReply['pieces'] {
  yield* (await opening).pieces
}

/** Yields the pieces, and settles the attempt at its end, regular or early. */
async function* settled(
  model: string,
  first: IteratorResult<ChatPiece>,
  pieces: AsyncGenerator<ChatPiece>,
  attempt: Attempt,
): StreamedReply['pieces'] {
  const listener = createListener()
  let over = false
  try {
    yield { type: 'begin', model }
    for (let next = first; !next.done; next = await pieces.next()) {
      listener.add(next.value)
      if (next.value.type === 'end') {
        over = true
        await attempt.succeeded({ ...listener.answer(), usage: next.value.usage })
      }
      yield next.value
    }
    if (!over) throw cutOff()
  } catch (error) {
    if (!over) await attempt.failed(error)
    over = true
    throw error instanceof UpstreamError ? refuseUpstream(error) : error
  } finally {
    // the reader has stopped
    if (!over) await attempt.failed(aborted())
    await pieces.return(undefined)
  }
}

function createListener() {
  let content = ''
  let refusal: string | undefined
  const calls: ChatToolCall[] = []
  return {
    add(piece: ChatPiece): void {
      if (piece.type === 'text') content += piece.text
      if (piece.type === 'refusal') refusal = (refusal ?? '') + piece.text
      if (piece.type === 'tool_call')
        calls[piece.index] = { id: piece.id, type: 'function', function: { name: piece.name, arguments: '' } }
      const call = piece.type === 'tool_arguments' ? calls[piece.index] : undefined
      if (piece.type === 'tool_arguments' && call !== undefined) call.function.arguments += piece.text
    },
    answer: () => ({ content, ...(refusal !== undefined && { refusal }), tool_calls: calls }),
  }
}

const cutOff = () => new UpstreamError('lost', 'the answer was cut off')
const aborted = () => new UpstreamError('aborted', 'the caller disconnected')
