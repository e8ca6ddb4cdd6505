import { DomainError } from '#core/errors.ts'
import { userMessage } from '#core/models/chat.ts'
import {
  LIMIT_FIELDS,
  type LimitField,
  limitFieldOf,
  type Model,
  type ModelRoles,
  speaksOpenAi,
} from '#core/models/model.ts'
import type { ModelProbe } from '#core/models/registry-schema.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import { usdFromMicro } from '#core/money.ts'
import { cutText } from '#core/text/text.ts'
import type { ModelProbeRow } from '#store/models/model-probes.ts'
import { auditBy } from '../audit/read-audit.ts'
import type { ServiceContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import { callModel } from './call-model.ts'
import { embedTexts } from './embed-texts.ts'
import type { ModelAdminPorts, ModelContext } from './model-ports.ts'

const QUESTION = 'Answer with the single word: ok'
const MAX_TOKENS = 16
const MAX_MS = 30_000
const MAX_MESSAGE = 1_000

type Context = ServiceContext & ModelContext & Pick<ModelAdminPorts, 'probes'>

/**
 * Sends a model one tiny question, or for an embedding model one text: judged, paid for and recorded as any call. An unreachable or silent
 * model is a result. Throws `not_found`, and refusals of the call itself: `policy_denied`, `needs_approval`, `frozen`, `halted`,
 * `BudgetExceeded`.
 */
export const probeModel = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: Context, { model, signal }: { model: string; signal: AbortSignal }): Promise<ModelProbe> => {
    const { models, roles } = ctx.models.bound()
    const bound = models.find(({ id }) => id === model)
    if (bound === undefined) throw new DomainError('not_found', `there is no model ${model} in models.yaml`)
    const began = ctx.clock()
    const { profile } = chooseEnvironment(ctx, {})
    const outcome = isForVectors({ ...roles, ...profile.model_roles }, model)
      ? await asked(signal, (call) => embedTexts(ctx, { model, texts: [QUESTION], ...call }))
      : await askEither(ctx, bound, signal)
    const latency_ms = Math.max(0, Math.round(ctx.clock() - began))
    const ok = outcome.failed === undefined
    const { limit_field } = outcome
    const { code = null, message = null } = outcome.failed ?? {}
    const row = await ctx.probes.record(
      {
        workspace_id: ctx.workspace_id,
        model,
        ok,
        latency_ms,
        cost_micro_usd: outcome.cost ?? null,
        failed_code: code,
        failed_message: message,
        probed_by: ctx.actor.id,
      },
      auditBy(ctx, {
        category: 'admin',
        action: 'model.probed',
        workspace_id: ctx.workspace_id,
        subject: { type: 'model', id: model },
        data: {
          ok,
          latency_ms,
          ...(limit_field && { limit_field }),
          ...(outcome.failed !== undefined && { failed: { ...outcome.failed } }),
        },
      }),
    )
    return { ...toProbe(row), ...(limit_field && { limit_field }) }
  },
)

interface Outcome {
  cost?: number | undefined
  failed?: { code: string; message: string }
  /** where it differs from `models.yaml` */
  limit_field?: LimitField
}

/** A provider that refuses the parameter of the limit is called once more with the other one. */
async function askEither(ctx: Context, model: Model, signal: AbortSignal): Promise<Outcome> {
  const first = await ask(ctx, model.id, signal)
  const isAboutLimit =
    first.failed?.code === 'validation_failed' && /max_(completion_)?tokens/.test(first.failed.message)
  const other = LIMIT_FIELDS.find((field) => field !== limitFieldOf(model))
  if (!isAboutLimit || other === undefined || !speaksOpenAi(model)) return first
  const second = await ask(ctx, model.id, signal, other)
  return second.failed === undefined ? { ...second, limit_field: other } : first
}

/** Tells whether `embed` is the only role of the model. */
function isForVectors(roles: ModelRoles, model: string): boolean {
  const named = Object.entries(roles).filter(([, role]) => role?.model === model || role?.fallback === model)
  return named.length > 0 && named.every(([role]) => role === 'embed')
}

function ask(ctx: Context, model: string, signal: AbortSignal, limit_field?: LimitField): Promise<Outcome> {
  const prompt = { messages: [userMessage(QUESTION)], max_tokens: MAX_TOKENS }
  return asked(signal, (call) => callModel(ctx, { model, prompt, limit_field, ...call, stream: false }))
}

async function asked(
  signal: AbortSignal,
  act: (call: { once: true; signal: AbortSignal }) => Promise<Pick<Outcome, 'cost'>>,
): Promise<Outcome> {
  const ending = endingAfter(MAX_MS, signal)
  try {
    const { cost } = await act({ once: true, signal: ending.signal })
    return { cost }
  } catch (error) {
    if (!(error instanceof DomainError) || !isFinding(error)) throw error
    return { failed: { code: error.code, message: cutText(error.message, MAX_MESSAGE) } }
  } finally {
    ending.end()
  }
}

/** True for a result of a probe; any other error means that it did not take place. */
function isFinding({ code, cause }: DomainError): boolean {
  return code === 'not_configured' || cause instanceof UpstreamError
}

/** Not `AbortSignal.any`: Node collects a timeout that only a joined signal refers to. */
function endingAfter(ms: number, given: AbortSignal): { signal: AbortSignal; end(): void } {
  const ending = new AbortController()
  const leave = () => ending.abort(given.reason)
  const timer = setTimeout(() => ending.abort(new DOMException('it took too long', 'TimeoutError')), ms)
  given.addEventListener('abort', leave, { once: true })
  if (given.aborted) leave()
  return {
    signal: ending.signal,
    end() {
      clearTimeout(timer)
      given.removeEventListener('abort', leave)
    },
  }
}

/** A probe as people see it. */
export function toProbe(row: ModelProbeRow): ModelProbe {
  const {
    model,
    ok,
    latency_ms,
    cost_micro_usd,
    failed_code: code,
    failed_message: message,
    probed_by,
    probed_at,
  } = row
  return {
    model,
    ok,
    latency_ms,
    ...(cost_micro_usd !== null && { cost_usd: usdFromMicro(cost_micro_usd) }),
    ...(code !== null && message !== null && { failed: { code, message } }),
    by: probed_by,
    at: probed_at,
  }
}
