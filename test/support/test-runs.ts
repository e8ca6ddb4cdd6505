import { createHash } from 'node:crypto'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { EventDraft } from '#core/run/event.ts'
import { type GateOpening, type StepSettlement, TAKING } from '#core/run/patch.ts'
import type { RunStatus } from '#core/run/status.ts'
import { createIds } from '#platform/ids.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import type { TestApi } from './api-client.ts'
import { chainWaiting } from './chain-waiting.ts'
import { TEST_DIGEST, TEST_PLAN } from './one-pack.ts'

const ids = createIds()

/** A run that waits in the queue, as admission writes it. */
export function runDraft(overrides: Partial<RunDraft> = {}): RunDraft {
  const id = ids.next('run')
  return {
    id,
    workspace_id: DEFAULT_WORKSPACE_ID,
    pack: 'incident',
    template: 'service-recovery',
    template_version: '1.0.0',
    template_digest: TEST_DIGEST,
    plan_digest: TEST_DIGEST,
    plan: TEST_PLAN,
    lane: 'background',
    environment: 'development',
    environment_class: 'development',
    profile: 'default',
    config_preset: null,
    sandbox: false,
    dry_run: false,
    risk: 'medium',
    action_types: ['service.restart'],
    capabilities: [],
    inputs: { url: 'http://127.0.0.1:8080' },
    inputs_hash: TEST_DIGEST,
    reason: null,
    labels: {},
    provenance: { trigger: { type: 'direct' }, actor: { type: 'user', id: 'usr_someone', display: 'Someone' } },
    fingerprint: null,
    alerts: [],
    cap_micro_usd: 1_000_000,
    actor: { type: 'user', id: 'usr_local', display: 'local' },
    audit: {
      id: ids.next('audit'),
      ts: new Date().toISOString(),
      category: 'trigger',
      action: 'run.admitted',
      workspace_id: DEFAULT_WORKSPACE_ID,
      actor: { type: 'user', id: 'usr_local', auth: 'none' },
      subject: { type: 'run', id },
      data: {},
    },
    ...overrides,
  }
}

/** Admits a run and answers with its id. */
export async function admitTestRun(api: TestApi, overrides: Partial<RunDraft> = {}): Promise<string> {
  const draft = runDraft(overrides)
  await api.runs.admit([draft])
  return draft.id
}

/** `count` events of one step, with keys that are new each time. */
export function logEvents(count: number, data: Record<string, string> = {}): EventDraft[] {
  return Array.from({ length: count }, () => ({ key: ids.next('request'), type: 'step.log', step: 'act', data }))
}

/** Ends the run as succeeded, with what its last step left behind. */
export async function finishTestRun(
  api: TestApi,
  runId: string,
  settle?: StepSettlement,
  status: RunStatus = 'succeeded',
): Promise<void> {
  await api.runs.record({ run_id: runId, any_fence: true, run: { status: 'running' } })
  await api.runs.record({
    run_id: runId,
    take_fence: true,
    run: { status, ...(status === 'failed' ? { error: { code: 'internal', message: 'x', retryable: false } } : {}) },
    events: [{ key: 'run/ended', type: 'run.succeeded' }],
    ...(settle !== undefined && { settle }),
  })
}

const EVIDENCE = { status: 503 }

/** A run whose first step has ended with outputs and whose second one failed (`act`), with all records in the chain; answers with its id. */
export async function failTestRun(
  api: TestApi,
  overrides: Partial<RunDraft> = {},
  { chained = true, act = {} }: { chained?: boolean; act?: Partial<StepSettlement> } = {},
): Promise<string> {
  const error: JsonObject = { code: 'http_status', message: 'the target answered 500', retryable: false, step: 'act' }
  const run_id = await admitTestRun(api, overrides)
  const about = { ts: new Date().toISOString(), workspace_id: overrides.workspace_id ?? DEFAULT_WORKSPACE_ID, run_id }
  const outputs_hash = `sha256:${createHash('sha256').update(canonicalText(EVIDENCE)).digest('hex')}`
  await api.runs.record({
    run_id,
    ...TAKING,
    settle: { step_id: 'evidence', ordinal: 0, state: 'succeeded', attempt: 1, outputs: EVIDENCE },
    audit: [
      {
        id: ids.next('audit'),
        ...about,
        category: 'lineage',
        action: 'step.settled',
        actor: { type: 'system', id: 'svc', auth: 'none' },
        subject: { type: 'step', id: `${run_id}:evidence` },
        data: { attempt: 1, state: 'succeeded', outputs_hash },
      },
    ],
  })
  await api.runs.record({
    run_id,
    any_fence: true,
    settle: { step_id: 'act', ordinal: 1, state: 'failed', attempt: 1, error, ...act },
    run: { status: 'failed', error },
    events: [{ key: 'run/failed', type: 'run.failed' }],
  })
  if (chained) await chainWaiting(api.db)
  return run_id
}

/** Parks the run on a gate and answers with the gate's id. */
export async function parkTestRun(api: TestApi, runId: string, gate: Partial<GateOpening> = {}): Promise<string> {
  const id = ids.next('gate')
  await api.runs.take(runId)
  await api.runs.record({
    run_id: runId,
    take_fence: true,
    gate: {
      id,
      step_id: 'act',
      ordinal: 1,
      attempt: 0,
      kind: 'approval',
      plan_hash: `sha256:${'a'.repeat(64)}`,
      required: { approvals: 1, approval_roles: [], prevent_self: false },
      view: gateView(),
      expires_at: '2099-01-01T00:00:00.000Z',
      ...gate,
    },
    events: [{ key: `gate/${id}/opened`, type: 'gate.opened', step: 'act' }],
  })
  return id
}

/** What a gate shows, with these parts of its plan. */
export function gateView(plan: object = {}) {
  return {
    operation: {
      operator: 'http.request@1',
      action_type: 'service.restart',
      capabilities: [],
      risk: 'medium',
      environment: 'development',
      targets: { kind: 'url', ids: ['http://127.0.0.1:8080/restart'], count: 1 },
    },
    plan: { summary: 'POST http://127.0.0.1:8080/restart', steps: [], ...plan },
    inputs: { method: 'POST' },
    secret_commitments: {},
    requested_by: 'usr_someone',
    human_root: null,
    reason: null,
    because: ['policy'],
    authorities: { operator: false, profile: false, pack: false, policy: { effect: 'require_hitl', matched: [] } },
    evidence: [],
    estimate_usd: 0,
    channels: [],
    broken_policies: [],
    simulation: null,
  }
}
