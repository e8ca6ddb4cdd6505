/** The role that the tools of the ask agent read with. It may select from these tables, within one workspace, and nothing else. */
export const ASK_ROLE = 'svc_ask'

/** What it may read: whole tables, or these columns of them. Each is under row-level security. */
export const ASK_READS: Record<string, string[] | 'all'> = {
  runs: 'all',
  run_steps: 'all',
  run_events: 'all',
  run_trigger_alerts: 'all',
  gates: ['id', 'run_id', 'workspace_id', 'step_id', 'kind', 'status', 'plan_hash', 'required', 'opened_at', 'expires_at', 'resolved_at', 'resolution'],
  gate_decisions: ['gate_id', 'decided_by', 'decision', 'note', 'channel', 'decided_at'],
  model_calls: ['id', 'workspace_id', 'run_id', 'environment', 'model', 'state', 'reserved_micro_usd', 'charged_micro_usd', 'created_at'],
  environment_budgets: 'all',
  halts: ['id', 'workspace_id', 'environment', 'template', 'reason', 'created_at', 'lifted_at'],
  schedules: 'all',
  schedule_firings: 'all',
  pipelines: 'all',
  pipeline_steps: 'all',
  audit_outbox: 'all',
}
