import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Plan } from '#core/plan/types.ts'
import { createIds } from '#platform/ids.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'

export const ids = createIds()

const PLAN: Plan = {
  v: 1,
  pack: 'test',
  template: 'nothing',
  pack_version: '1.0.0',
  pack_digest: 'sha256:test',
  title: 'Nothing',
  risk: 'low',
  action_types: [],
  capabilities: [],
  steps: [],
  outputs: {},
  digest: `sha256:${'a'.repeat(64)}`,
}

/** A run that is ready to be admitted, for tests of the store. */
export function runDraft(changes: Partial<RunDraft> = {}): RunDraft {
  const id = ids.next('run')
  return {
    id,
    workspace_id: DEFAULT_WORKSPACE_ID,
    pack: PLAN.pack,
    template: PLAN.template,
    template_version: PLAN.pack_version,
    template_digest: PLAN.pack_digest,
    plan_digest: PLAN.digest,
    plan: PLAN,
    lane: 'realtime',
    environment: 'development',
    environment_class: 'development',
    profile: 'default',
    config_preset: null,
    sandbox: false,
    dry_run: false,
    risk: 'low',
    action_types: [],
    capabilities: [],
    inputs: {},
    inputs_hash: 'sha256:none',
    reason: null,
    labels: {},
    provenance: {},
    fingerprint: null,
    alerts: [],
    cap_micro_usd: 1_000_000,
    actor: { type: 'user', id: 'usr_local', display: 'local' },
    audit: {
      id: ids.next('audit'),
      ts: '2026-01-01T00:00:00.000Z',
      category: 'trigger',
      action: 'run.admitted',
      workspace_id: DEFAULT_WORKSPACE_ID,
      actor: { type: 'user', id: 'usr_local', auth: 'none' },
      run_id: id,
      subject: { type: 'run', id },
      data: {},
    },
    ...changes,
  }
}
