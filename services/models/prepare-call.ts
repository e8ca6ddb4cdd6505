import { type Environment, type Profile, runCapUsd } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { ChatPrompt } from '#core/models/chat.ts'
import { capFromUsd } from '#core/money.ts'
import type { PredictedCall } from '#core/operator.ts'
import { isoTime } from '#core/time/time.ts'
import type { ModelReservation } from '#store/models/model-calls.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import { type FoundModels, findModels } from './find-models.ts'
import { type CallVerdict, judgeCall } from './judge-call.ts'
import type { AskBudget, ModelCall, StepCall } from './model-call.ts'
import type { CallContext, ModelContext } from './model-ports.ts'

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

/** A permitted call, with only its caps left to check. The first candidate is tried twice, another one once. */
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

/** Returns the environment and profile of a call: those of its run, else the workspace's defaults. Throws `not_found`. */
async function placeOfCall(
  ctx: ModelContext,
  runId: string | undefined,
): Promise<{ environment: Environment; profile: Profile }> {
  if (runId === undefined) return chooseEnvironment(ctx, {})
  const run = await ctx.model_calls.run(ctx.workspace_id, runId)
  if (run === undefined) throw new DomainError('not_found', `no run ${runId}`)
  const environment = ctx.environments.get(run.environment)
  if (environment === undefined)
    throw new DomainError('not_configured', `the environment ${run.environment} of the run no longer exists`)
  return { environment, profile: ctx.environments.profile(run.profile) }
}

/** Predicts a call of these models and its highest cost. No provider is called, and nothing is reserved. Throws what `prepare` throws. */
export async function predictCall(
  ctx: Pick<CallContext, 'upstream' | 'sha256'>,
  { candidates: [first, ...others] }: FoundModels,
  prompt: ChatPrompt,
): Promise<PredictedCall> {
  // a fallback may cost more; an unreachable one is no fallback
  const reachable = others.filter(({ endpoint }) => !('problem' in endpoint))
  const requests = await Promise.all(
    [first, ...reachable].map((model) => ctx.upstream.prepare(model, prompt, { stream: false })),
  )
  return {
    model: first.id,
    worst_case_micro_usd: Math.max(...requests.map(({ worst_case_micro_usd }) => worst_case_micro_usd)),
    prompt_digest: `sha256:${ctx.sha256(canonicalText(prompt))}`,
  }
}
