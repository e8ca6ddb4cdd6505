import type { AuditDraft } from '#core/audit/types.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { ChatToolCall, ModelUsage } from '#core/models/chat.ts'
import type { PricedModel } from '#core/models/model.ts'
import { cutText } from '#core/text/text.ts'
import type { CallContext } from './model-ports.ts'
import type { PreparedCall } from './prepare-call.ts'

/** The answer, as far as it came. */
export interface Answered {
  content: string
  refusal?: string | undefined
  tool_calls: ChatToolCall[]
  usage?: ModelUsage | undefined
  /** where they were requested */
  vectors?: number[][] | undefined
}

const MAX_TEXT = 65_536

/** Builds the record of an attempt, without its outcome. */
export function recordOf(
  ctx: CallContext,
  call: PreparedCall,
  { id, model, attempt }: { id: string; model: PricedModel; attempt: number },
): Omit<AuditDraft, 'id' | 'ts'> {
  const { type, id: actor, auth } = ctx.actor
  const { environment, profile, verdict, request_digest, role, run_id, step } = call
  return {
    category: 'model_call',
    action: 'model.called',
    workspace_id: ctx.workspace_id,
    actor: { type, id: actor, auth },
    channel: ctx.channel,
    ...(run_id !== undefined && { run_id }),
    subject: { type: 'model_call', id },
    data: {
      ...(step === undefined
        ? { request_id: ctx.request_id ?? '' }
        : { step: step.step_id, step_attempt: step.attempt, plan_hash: step.plan_hash }),
      attempt,
      model: model.id,
      provider: model.provider,
      provider_model: model.model,
      ...(role !== undefined && { role }),
      ...(call.ask !== undefined && { ask: { thread_id: call.ask.thread_id, turn_id: call.ask.turn_id } }),
      ...(ctx.actor.key !== undefined && { key_id: ctx.actor.key.id }),
      environment: environment.name,
      profile: profile.name,
      request_digest,
      matched: verdict.matched,
      policy_snapshot: verdict.snapshot_hash,
    },
  }
}

/** Returns the record of an answer: its text only where the profile allows it. */
export function answerData(
  ctx: CallContext,
  call: PreparedCall,
  { content, refusal, tool_calls, usage, vectors }: Answered,
): JsonObject {
  const answer = canonicalText({
    content,
    ...(refusal !== undefined && { refusal }),
    tool_calls,
    ...(vectors !== undefined && { vectors }),
  })
  const kept = (text: string) => cutText(call.step?.redact(text) ?? text, MAX_TEXT)
  return {
    response_digest: `sha256:${ctx.sha256(answer)}`,
    ...(usage !== undefined && { usage: { ...usage } }),
    ...(call.profile.audit?.model_texts === true && {
      texts: { request: kept(canonicalText(call.prompt)), response: kept(answer) },
    }),
  }
}
