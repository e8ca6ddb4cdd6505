import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { isUnspent, UpstreamError, type UpstreamOutcome } from '#core/models/upstream-error.ts'
import { usageCost } from '#core/models/usage-cost.ts'
import { type MicroUsd, usdText } from '#core/money.ts'
import { cutText } from '#core/text/text.ts'
import { isoTime } from '#core/time/time.ts'
import type { ChatRequest, VectorRequest } from '#platform/models/prepare-request.ts'
import type { ModelSettlement } from '#store/models/model-calls.ts'
import { type Answered, answerData, recordOf } from './call-record.ts'
import type { StepCall } from './model-call.ts'
import type { CallContext } from './model-ports.ts'
import type { PreparedCall } from './prepare-call.ts'
import { refuseReservation } from './refuse-reservation.ts'

/** One request to a provider, with its cost reserved before. Its caller must settle it in any case. */
export interface Attempt {
  /** Returns its cost; undefined if it could not be recorded, so that the sweep charges all of it. */
  succeeded(answer: Answered): Promise<MicroUsd | undefined>
  failed(error: unknown): Promise<void>
}

const MAX_REASON = 500
const TRIES_AFTER_MS = [0, 200, 800]

type Charge = Pick<ModelSettlement, 'basis' | 'charged_micro_usd' | 'overrun_micro_usd'>

/** Reserves the most that sending this request may cost. Throws `BudgetExceeded`, `halted`, `run_terminal`, `not_found`, `needs_approval`. */
export async function beginAttempt(
  ctx: CallContext,
  call: PreparedCall,
  { request, attempt }: { request: ChatRequest | VectorRequest; attempt: number },
): Promise<Attempt> {
  const id = ctx.ids.next('model_call')
  const { model, worst_case_micro_usd: reserved } = request
  const record = recordOf(ctx, call, { id, model, attempt })
  const { run_id, environment, caps, step } = call
  const refusal = await ctx.model_calls.reserve({
    ...caps,
    id,
    workspace_id: ctx.workspace_id,
    run_id,
    environment: environment.name,
    model: model.id,
    record,
    ...(step !== undefined && { step: placeIn(step) }),
    reserve_micro_usd: reserved,
    ask_standing: !ctx.open,
  })
  if (refusal !== undefined) {
    step?.refused(refusal)
    throw refuseReservation(refusal, reserved)
  }
  ctx.leases.hold(id)

  async function settle(charge: Charge, data: JsonObject): Promise<MicroUsd | undefined> {
    const audit: AuditDraft = {
      ...record,
      id: ctx.ids.next('audit'),
      ts: isoTime(ctx.clock()),
      data: { ...record.data, ...data, ...moneyOf(charge, reserved) },
    }
    try {
      const micro_usd = await persistently(() => ctx.model_calls.settle({ id, ...charge, audit }))
      ctx.leases.drop(id)
      step?.charged({ micro_usd, basis: charge.basis })
      return micro_usd
    } catch (error) {
      ctx.leases.lose(id, error)
      step?.charged({ micro_usd: reserved })
      return undefined
    }
  }

  return {
    succeeded: (answer) =>
      settle(chargeOf(reserved, usageCost(model.prices, answer.usage, hasContent(answer))), {
        outcome: 'succeeded',
        ...answerData(ctx, call, answer),
      }),
    async failed(error) {
      const outcome = outcomeOf(error)
      const status = error instanceof UpstreamError ? error.status : undefined
      await settle(
        isUnspent(outcome)
          ? { basis: 'unspent', charged_micro_usd: 0, overrun_micro_usd: 0 }
          : chargeOf(reserved, undefined),
        { outcome, ...(status !== undefined && { status }), ...reasonOf(call, error) },
      )
    },
  }
}

/** Our own refusals were never sent; for other errors that is unknown. */
function outcomeOf(error: unknown): UpstreamOutcome {
  if (error instanceof UpstreamError) return error.outcome
  return error instanceof DomainError ? 'refused' : 'lost'
}

/** Returns why it failed, for the record. */
function reasonOf({ step }: PreparedCall, error: unknown): { reason?: string } {
  if (!(error instanceof UpstreamError)) return {}
  return { reason: cutText(step?.redact(error.message) ?? error.message, MAX_REASON) }
}

/** Returns the reported cost, at most the reservation: the excess is an overrun. Without a report, the whole reservation. */
function chargeOf(reserved: MicroUsd, cost: MicroUsd | undefined): Charge {
  if (cost === undefined) return { basis: 'estimate', charged_micro_usd: reserved, overrun_micro_usd: 0 }
  const charged_micro_usd = Math.min(cost, reserved)
  return { basis: 'reported', charged_micro_usd, overrun_micro_usd: cost - charged_micro_usd }
}

function moneyOf(charge: Charge, reserved: MicroUsd): JsonObject {
  return {
    basis: charge.basis,
    cost_usd: usdText(charge.charged_micro_usd),
    reserved_usd: usdText(reserved),
    ...(charge.overrun_micro_usd > 0 && { overrun_usd: usdText(charge.overrun_micro_usd) }),
  }
}

function placeIn({ step_id, attempt, plan_hash, fence }: StepCall['step']) {
  return { step_id, attempt, plan_hash, fence }
}

function hasContent({ content, refusal, tool_calls }: Answered): boolean {
  return content !== '' || refusal !== undefined || tool_calls.length > 0
}

/** The database may be away for a moment. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (const [index, wait_ms] of TRIES_AFTER_MS.entries()) {
    if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms))
    try {
      return await work()
    } catch (error) {
      if (index === TRIES_AFTER_MS.length - 1) throw error
    }
  }
  throw new Error('it was not tried')
}

/** Settles an attempt as failed when its request fails. */
export async function unlessFailed<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await attempt.failed(error)
    throw error
  }
}
