import { runCapUsd } from '#core/budget/run-cap.ts'
import { canonicalText } from '#core/canonical-text.ts'
import type { Environment, Profile } from '#core/environment.ts'
import type { ChatPrompt } from '#core/models/chat.ts'
import type { LimitField } from '#core/models/model.ts'
import { capFromUsd, type MicroUsd } from '#core/money.ts'
import { isoTime } from '#core/time.ts'
import type { ModelReservation } from '#store/model-calls.ts'
import { type FoundModels, findModels } from './find-models.ts'
import { type CallVerdict, judgeCall } from './judge-call.ts'
import type { CallContext, ModelContext } from './model-ports.ts'
import { placeOfCall } from './place-of-call.ts'
import type { StepCall } from './step-call.ts'

export interface AskBudget {
  thread_id: string
  turn_id: string
  /** whose thread it is, where it is a new one */
  opens?: { account_id: string; owner_id: string } | undefined
  /** the people behind the question; the cap of the day is theirs */
  people: string[]
  turn_cap_micro_usd: MicroUsd
  day_cap_micro_usd: MicroUsd
}

export interface ModelCall {
  /** a role, or the id of a model */
  model: string
  prompt: ChatPrompt
  /** what vectors are asked of, in the place of an answer: the prompt has them as its messages */
  texts?: string[] | undefined
  /** a run that the call is for, and that pays for it */
  run_id?: string | undefined
  /** a turn of the ask agent that the call is for, with what it and the day of the people behind it may cost */
  ask?: AskBudget | undefined
  /** whoever asks has gone */
  signal: AbortSignal
  /** told in this field how much it may answer, whatever models.yaml says */
  limit_field?: LimitField | undefined
  /** nothing is repeated, and nothing takes its place */
  once?: boolean | undefined
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
  | 'ask_people'
  | 'ask_day_cap_micro_usd'
  | 'day'
  | 'key_id'
  | 'requesters'
>

/** A call that may be made, as far as anybody but its caps has a say. The first candidate is asked twice, another one once. */
export interface PreparedCall extends ModelCall, FoundModels {
  environment: Environment
  profile: Profile
  verdict: CallVerdict
  caps: Caps
  request_digest: string
  /** the step that makes it */
  step?: StepCall['step']
}

/** Finds the models that are meant and judges the call. Throws what `judgeCall` and `findModels` throw. */
export async function prepareCall(ctx: ModelContext, call: ModelCall): Promise<PreparedCall> {
  // without any there is nothing to judge
  if (ctx.models.bound().models.length === 0) findModels(ctx, call.model, {})
  const place = await placeOfCall(ctx, call.run_id)
  const found = findModels(ctx, call.model, place.profile)
  const verdict = await judgeCall(ctx, place)
  return { ...call, ...place, ...found, ...(await factsOf(ctx, call, place)), verdict }
}

/** The same for a step, which was judged, with the models that were found then. */
export async function prepareStepCall(ctx: CallContext, call: StepCall): Promise<PreparedCall> {
  const { environment, profile, verdict, found } = call.step
  return { ...call, ...found, environment, profile, verdict, ...(await factsOf(ctx, call, { environment, profile })) }
}

async function factsOf(
  ctx: CallContext,
  { prompt, ask }: ModelCall,
  place: { environment: Environment; profile: Profile },
): Promise<Pick<PreparedCall, 'caps' | 'request_digest'>> {
  const caps = { ...(await capsOf(ctx, place)), ...askCaps(ask) }
  return { caps, request_digest: `sha256:${ctx.sha256(canonicalText(prompt))}` }
}

function askCaps(ask: AskBudget | undefined): Partial<Caps> {
  if (ask === undefined) return {}
  return {
    ask_thread_id: ask.thread_id,
    ask_turn_id: ask.turn_id,
    ...(ask.opens !== undefined && { ask_opens: ask.opens }),
    ask_turn_cap_micro_usd: ask.turn_cap_micro_usd,
    ask_people: ask.people,
    ask_day_cap_micro_usd: ask.day_cap_micro_usd,
  }
}

async function capsOf(
  ctx: CallContext,
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
