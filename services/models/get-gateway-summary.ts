import { DomainError } from '#core/errors.ts'
import type { GatewaySummary, SummaryWindow } from '#core/models/gateway-summary-schema.ts'
import { usdFromMicro } from '#core/money.ts'
import { DAY_MS, HOUR_MS, isoTime } from '#core/time/time.ts'
import type { Spent } from '#store/models/model-spend.ts'
import type { ServiceContext } from '../context.ts'
import type { ModelAdminPorts } from './model-ports.ts'

const WINDOWS: Record<SummaryWindow, number> = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
}
const MAX_DAYS = 92
/** Most calls in one summary; older ones are left out, and the answer says so. */
const MAX_CALLS = 200_000
/** A call that has just begun is still within a window that ends now. */
const AHEAD_MS = HOUR_MS

export interface SummaryRequest {
  window?: SummaryWindow | undefined
  from?: string | undefined
  to?: string | undefined
  limit: number
}

/** Sums up the cost of model calls in the workspace, by model, run, person and day, and their refusals. Throws `validation_failed`. */
export async function getGatewaySummary(
  ctx: Pick<ServiceContext, 'workspace_id' | 'clock'> & Pick<ModelAdminPorts, 'spend'>,
  request: SummaryRequest,
): Promise<GatewaySummary> {
  const now = ctx.clock()
  const window = windowOf(request, now)
  const until = request.to === undefined ? isoTime(now + AHEAD_MS) : window.to
  const { workspace_id } = ctx
  const spend = await ctx.spend.of({
    workspace_id,
    from: window.from,
    to: until,
    limit: request.limit,
    most_calls: MAX_CALLS,
  })
  const { overrun_micro_usd, reported, estimated, unspent, ...total } = spend.totals
  const { calls, reserved_micro_usd, oldest_at } = spend.open
  return {
    window,
    generated_at: isoTime(now),
    complete: spend.complete,
    totals: { ...inUsd(total), overrun_usd: usdFromMicro(overrun_micro_usd), reported, estimated, unspent },
    by_model: spend.by_model.map(inUsd),
    by_run: spend.by_run.map(({ run_id, ...rest }) => ({ ...(run_id !== null && { run_id }), ...inUsd(rest) })),
    by_person: spend.by_person.map(({ name, key_id, key_name, ...rest }) => ({
      ...inUsd(rest),
      ...(name !== null && { name }),
      ...(key_id !== null && { key_id }),
      ...(key_name !== null && { key_name }),
    })),
    by_day: spend.by_day.map(inUsd),
    open: { calls, reserved_usd: usdFromMicro(reserved_micro_usd), ...(oldest_at !== null && { oldest_at }) },
    refusals: spend.refusals,
  }
}

function windowOf({ window, from, to }: SummaryRequest, now: number): GatewaySummary['window'] {
  if (window !== undefined && (from !== undefined || to !== undefined))
    throw new DomainError('validation_failed', 'Say either a window, or from and to.')
  const end = to === undefined ? now : Date.parse(to)
  const start = from === undefined ? end - WINDOWS[window ?? '7d'] : Date.parse(from)
  if (start >= end) throw new DomainError('validation_failed', '`from` must be before `to`.')
  if (end - start > MAX_DAYS * DAY_MS)
    throw new DomainError('validation_failed', `Between from and to are at most ${MAX_DAYS} days.`)
  return { from: isoTime(start), to: isoTime(end) }
}

function inUsd<Row extends Spent>({ micro_usd, ...rest }: Row): Omit<Row, 'micro_usd'> & { usd: number } {
  return { ...rest, usd: usdFromMicro(micro_usd) }
}
