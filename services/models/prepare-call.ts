import { runCapUsd } from '#core/budget/run-cap.ts'
import { canonicalText } from '#core/canonical-text.ts'
import type { Environment, Profile } from '#core/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { ChatPrompt } from '#core/models/chat.ts'
import { isPriced, type Model, type ModelRole, type PricedModel } from '#core/models/model.ts'
import { resolveModel } from '#core/models/resolve-model.ts'
import { capFromUsd, type MicroUsd } from '#core/money.ts'
import { isoTime } from '#core/time.ts'
import type { ModelReservation } from '#store/model-calls.ts'
import { type CallVerdict, judgeCall } from './judge-call.ts'
import type { ModelContext } from './model-ports.ts'
import { placeOfCall } from './place-of-call.ts'

export interface AskBudget {
  thread_id: string
  turn_id: string
  /** whose thread it is, where it is a new one */
  opens?: { account_id: string; owner_id: string } | undefined
  turn_cap_micro_usd: MicroUsd
  thread_cap_micro_usd: MicroUsd
}

export interface ModelCall {
  /** a role, or the id of a model */
  model: string
  prompt: ChatPrompt
  /** what vectors are asked of, in the place of an answer: the prompt has them as its messages */
  texts?: string[] | undefined
  /** a run that the call is for, and that pays for it */
  run_id?: string | undefined
  /** a turn of the ask agent that the call is for, with what it and the day of its thread may cost */
  ask?: AskBudget | undefined
  /** whoever asks has gone */
  signal: AbortSignal
}

type Caps = Pick<
  ModelReservation,
  | 'run_cap_micro_usd'
  | 'daily_cap_micro_usd'
  | 'workspace_daily_cap_micro_usd'
  | 'ask_thread_id'
  | 'ask_turn_id'
  | 'ask_opens'
  | 'ask_turn_cap_micro_usd'
  | 'ask_thread_cap_micro_usd'
  | 'day'
  | 'key_id'
  | 'requesters'
>

/** A call that may be made, as far as anybody but its caps has a say. */
export interface PreparedCall extends ModelCall {
  /** what is asked, in this order, each once and the first of them twice */
  candidates: PricedModel[]
  role?: ModelRole | undefined
  environment: Environment
  profile: Profile
  verdict: CallVerdict
  caps: Caps
  request_digest: string
}

const UNBOUND =
  'No model is bound: write models.yaml into the data directory (SVC_HOME) with a provider, a key and prices, as docs/models.md shows.'

/** Finds the models that are meant and judges the call. Throws what `judgeCall` throws, `not_found` and `not_configured`. */
export async function prepareCall(ctx: ModelContext, call: ModelCall): Promise<PreparedCall> {
  const bound = ctx.models.bound()
  if (bound.models.length === 0) throw new DomainError('not_configured', UNBOUND)
  const place = await placeOfCall(ctx, call.run_id)
  const resolved = resolveModel(call.model, bound, place.profile.model_roles)
  if (resolved === undefined)
    throw new DomainError(
      'not_found',
      `There is no model or role ${JSON.stringify(call.model)}; GET /v1/models names them.`,
      {
        model: call.model,
      },
    )
  const { model, fallback, role } = resolved
  const verdict = await judgeCall(ctx, place)
  return {
    ...call,
    ...place,
    candidates: [model, ...(fallback === undefined ? [] : [fallback])].map(mustBePriced),
    role,
    verdict,
    caps: { ...(await capsOf(ctx, place)), ...askCaps(call.ask) },
    request_digest: `sha256:${ctx.sha256(canonicalText(call.prompt))}`,
  }
}

/** No cap could hold over what has no price. */
function mustBePriced(model: Model): PricedModel {
  if (isPriced(model)) return model
  const missing = model.prices === undefined ? 'prices' : 'limits'
  throw new DomainError(
    'not_configured',
    `The model ${model.id} has no ${missing} in models.yaml, so that no cap would hold: add them.`,
  )
}

function askCaps(ask: AskBudget | undefined): Partial<Caps> {
  if (ask === undefined) return {}
  return {
    ask_thread_id: ask.thread_id,
    ask_turn_id: ask.turn_id,
    ...(ask.opens !== undefined && { ask_opens: ask.opens }),
    ask_turn_cap_micro_usd: ask.turn_cap_micro_usd,
    ask_thread_cap_micro_usd: ask.thread_cap_micro_usd,
  }
}

async function capsOf(
  ctx: ModelContext,
  { environment, profile }: { environment: Environment; profile: Profile },
): Promise<Caps> {
  const ofEnvironment = environment.cost_gate.daily_usd
  const ofWorkspace = (await ctx.workspaces.find(ctx.workspace_id))?.limits.daily_usd
  const { actor } = ctx
  return {
    run_cap_micro_usd: capFromUsd(runCapUsd(environment, profile)),
    ...(ofEnvironment !== undefined && { daily_cap_micro_usd: capFromUsd(ofEnvironment) }),
    ...(ofWorkspace !== undefined && { workspace_daily_cap_micro_usd: capFromUsd(ofWorkspace) }),
    day: isoTime(ctx.clock()).slice(0, 10),
    ...(actor.key !== undefined && { key_id: actor.key.id }),
    requesters: [actor.id, ...(actor.human_root === undefined ? [] : [actor.human_root])],
  }
}
