import type { z } from 'zod'
import type { AuditDraft } from '#core/audit/types.ts'
import { isCompensation } from '#core/gate/requester.ts'
import type { JsonObject } from '#core/json/json.ts'
import { usdFromMicro } from '#core/money.ts'
import { takenOverFrom } from '#core/run/repeat.ts'
import type { Artifact, Run, RunFailure, RunProgress, StepProgress } from '#core/run/schema.ts'
import { hasEnded, isTerminal, shownStepState } from '#core/run/status.ts'
import { isoOfDatabase } from '#core/time/time.ts'
import type { ArtifactRow } from '#store/runs/artifact-views.ts'
import type { RunView, StepView } from '#store/runs/run-views.ts'
import type { ServiceContext } from '../context.ts'

type RunRecord = z.infer<typeof Run>
type Progress = z.infer<typeof RunProgress>

/** Returns a run for the answer: money in dollars, absent instead of null, the plan's steps with their outcomes. */
export function toRunRecord(view: RunView): RunRecord {
  const spent = view.llm_micro_usd + view.gpu_micro_usd + view.storage_micro_usd
  const planHash = view.steps.find((step) => step.step_id === view.current_step)?.plan_hash
  return {
    id: view.id,
    workspace_id: view.workspace_id,
    pack: view.pack,
    template: view.template,
    template_version: view.template_version,
    template_digest: view.template_digest,
    status: view.status,
    lane: view.lane,
    environment: view.environment,
    environment_class: view.environment_class,
    profile: view.profile,
    sandbox: view.sandbox,
    dry_run: view.dry_run,
    risk: view.risk,
    action_types: view.action_types,
    capabilities: view.capabilities,
    inputs: view.inputs,
    inputs_hash: view.inputs_hash,
    attached_count: view.attached_count,
    alerts: view.alerts.map(({ digest, ...alert }) => ({
      ...alert,
      received_at: isoOfDatabase(alert.received_at),
      ...known('digest', digest),
    })),
    provenance: view.provenance,
    progress: progressOf(view),
    gates: view.gates.map(({ resolved_at, ...gate }) => ({
      ...gate,
      opened_at: isoOfDatabase(gate.opened_at),
      ...known('resolved_at', resolved_at && isoOfDatabase(resolved_at)),
    })),
    llm_usd: usdFromMicro(view.llm_micro_usd),
    gpu_usd: usdFromMicro(view.gpu_micro_usd),
    storage_usd: usdFromMicro(view.storage_micro_usd),
    total_usd: usdFromMicro(spent),
    reserved_usd: usdFromMicro(view.reserved_micro_usd),
    cap_usd: usdFromMicro(view.cap_micro_usd),
    labels: view.labels,
    created_at: view.created_at,
    queued_at: view.queued_at,
    updated_at: view.updated_at,
    links: linksOf(view),
    ...known('status_reason', view.status_reason),
    ...known('config_preset', view.config_preset),
    ...known('plan_hash', planHash),
    ...known('outputs', view.outputs),
    ...known('error', view.error && toFailure(view.error)),
    ...known('reason', view.reason),
    ...known('fingerprint', view.fingerprint),
    ...known('started_at', view.started_at),
    ...known('awaiting_since', view.awaiting_since),
    ...known('ended_at', view.ended_at),
  }
}

/** Returns an artifact for the answer. */
export function toArtifactRecord(row: ArtifactRow): z.infer<typeof Artifact> {
  return { ...row, links: { download: `/runs/${row.run_id}/artifacts/download?name=${encodeURIComponent(row.name)}` } }
}

function progressOf(view: RunView): Progress {
  const steps = view.plan_steps.map((planned) =>
    toStepProgress(
      view,
      planned,
      view.steps.find((step) => step.step_id === planned.id),
    ),
  )
  const ended = view.steps.filter(({ state }) => hasEnded(state)).length
  return {
    phase: view.status === 'running' ? (view.current_step ?? view.status) : view.status,
    ...(steps.length === 0 ? {} : { percent: Math.floor((100 * ended) / steps.length) }),
    ...known('current_step', isTerminal(view.status) ? undefined : view.current_step),
    steps,
  }
}

function toStepProgress(
  view: RunView,
  planned: RunView['plan_steps'][number],
  step: StepView | undefined,
): z.infer<typeof StepProgress> {
  return {
    id: planned.id,
    name: planned.name,
    operator: planned.operator,
    state: shownStepState(step?.state, view),
    attempt: step?.attempt ?? 0,
    cost_usd: usdFromMicro(step?.cost_micro_usd ?? 0),
    ...known('started_at', step?.started_at && isoOfDatabase(step.started_at)),
    ...known('ended_at', step?.ended_at && isoOfDatabase(step.ended_at)),
    ...known('message', step?.message),
    ...known('taken_over_from', takenOverFrom(view.provenance, planned.id)),
  }
}

function toFailure(error: Record<string, unknown>): z.infer<typeof RunFailure> {
  return {
    code: String(error['code'] ?? 'internal'),
    message: String(error['message'] ?? ''),
    retryable: error['retryable'] === true,
    ...known('step', typeof error['step'] === 'string' ? error['step'] : undefined),
    ...known('details', error['details']),
  }
}

function linksOf(view: RunView): Record<string, string> {
  const self = `/runs/${view.id}`
  return {
    self,
    events: `${self}/events`,
    stream: `${self}/stream`,
    artifacts: `${self}/artifacts`,
    report: `${self}/report`,
    ...(isTerminal(view.status) ? { start_again: `${self}/start-again` } : { cancel: `${self}/cancel` }),
    ...(isRetriable(view) && { retry: `${self}/retry` }),
    ...(view.status === 'awaiting_approval'
      ? { pending_approval: `${self}/pending-approval`, resume: `${self}/resume` }
      : {}),
  }
}

/** Whether it may be worth a try: what the record says of its steps may still refuse it. */
function isRetriable({ status, dry_run, provenance }: RunView): boolean {
  return status === 'failed' && !dry_run && provenance['pipeline_id'] === undefined
}

/** Returns the member, unless its value is empty. */
function known<Name extends string, Value>(
  name: Name,
  value: Value | null | undefined | '',
): { [K in Name]?: NonNullable<Value> } {
  const member: { [K in Name]?: NonNullable<Value> } = {}
  if (value !== null && value !== undefined && value !== '') member[name] = value
  return member
}

/** The place in a pipeline of a run. */
export function placeInPipeline(provenance: JsonObject): JsonObject {
  const { pipeline_step: step, pipeline_index: entry } = provenance
  if (step === undefined) return {}
  return { step, ...(entry !== undefined && { entry }), ...(isCompensation(provenance) && { compensation: true }) }
}

/** Drafts the audit record of a run's request; the caller adds its id and time. */
export function startAudit(
  ctx: Pick<ServiceContext, 'actor' | 'channel' | 'workspace_id'>,
  {
    category = 'trigger',
    ...record
  }: Pick<AuditDraft, 'action' | 'data' | 'subject'> & { category?: AuditDraft['category'] },
): Omit<AuditDraft, 'id' | 'ts'> {
  return {
    category,
    workspace_id: ctx.workspace_id,
    actor: { type: ctx.actor.type, id: ctx.actor.id, auth: ctx.actor.auth },
    channel: ctx.channel,
    ...record,
  }
}
