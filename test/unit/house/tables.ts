import { words } from './sources.ts'

interface Permission {
  /** files of code, and migrations whose change of the schema fills what is there */
  in?: string[]
  /** functions of the database; where none are listed, each of them may */
  by?: string[]
  fix: string
}

const ADMIT =
  'Call admitRun (services/runs/admit-run.ts): admit_runs writes the row with its events, its audit and its outbox'
const RECORD =
  'Hand the change to RunStore.record (store/runs/runs.ts): record_run checks the fence and writes events and audit with it'
const GATE =
  'Hand the change to GateDecisions.resolve through decideGate, or to record_run: gates are written by those functions'
const PIPELINE =
  'Hand the change to PipelineStore.record (store/pipelines/pipelines.ts): record_pipeline asks for the version that it was decided on'
const MODEL = 'Call callModel (services/models/call-model.ts), which reserves, settles and records every attempt'
const ASK = 'Call recordTurn (services/ask/record-turn.ts): a turn is written with its audit record and its event'
const AUDIT =
  'Call append_audit in the statement of its change, list the file in test/unit/house/tables.ts, or call RunStore.appendAudit'

/** Who may write the tables that hold a promise. */
export const TABLES: Record<string, Permission> = {
  // copies of a run, to measure among many of them; the note that a held run was woken
  runs: {
    in: ['bench/q2-growth.ts', 'store/halts.ts'],
    by: words(`
      admit_runs attach_alerts append_events charge_lost forget_runs record_run reserve_model_call resolve_alerts
      settle_model_call take_over_steps remark_on_gate`),
    fix: `${ADMIT}. ${RECORD}`,
  },
  run_steps: {
    by: words(`
      charge_lost charge_model_call reserve_model_call forget_runs record_run settle_step open_step open_gate
      end_steps resolve_gate take_over_steps`),
    fix: RECORD,
  },
  run_events: {
    by: ['number_events', 'admit_runs', 'attach_alerts', 'forget_runs', 'resolve_alerts'],
    fix: 'Call RunStore.appendEvents (store/runs/runs.ts): events are numbered under the lock of their run',
  },
  gates: { by: ['forget_runs', 'record_run', 'open_gate', 'end_steps', 'resolve_gate'], fix: GATE },
  gate_decisions: { by: ['forget_runs', 'resolve_gate'], fix: GATE },
  ledger_entries: { by: ['record_run', 'charge_attempt', 'forget_runs'], fix: RECORD },
  pipelines: {
    by: words(`
      start_pipeline record_pipeline advance_pipeline_step cancel_pipeline release_pipelines begin_children
      forget_pipelines`),
    fix: PIPELINE,
  },
  pipeline_steps: {
    by: ['start_pipeline', 'record_pipeline', 'advance_pipeline_step', 'forget_pipelines'],
    fix: PIPELINE,
  },
  pipeline_children: {
    by: ['record_pipeline', 'release_pipelines', 'begin_children', 'forget_pipelines'],
    fix: PIPELINE,
  },
  pipeline_events: { by: ['number_pipeline_events', 'forget_pipelines'], fix: PIPELINE },
  pipeline_budgets: { by: ['start_pipeline', 'move_pipeline_budget', 'forget_pipelines'], fix: RECORD },
  model_calls: {
    in: ['bench/q7.ts', 'store/models/model-calls.ts'],
    by: ['charge_model_call', 'forget_runs', 'reserve_model_call'],
    fix: MODEL,
  },
  ask_turns: { by: ['record_ask_turn'], fix: ASK },
  ask_tool_results: { by: ['record_ask_turn'], fix: ASK },
  remote_jobs: {
    in: ['store/runs/remote-jobs.ts'],
    by: ['create_remote_job', 'take_back_remote_job', 'forget_runs'],
    fix: 'Hand its opening to RunStore.record; what becomes of it goes through services/remote-jobs',
  },
  // a start that the engine has taken leaves the line
  start_outbox: { in: ['store/runs/runs.ts'], by: ['admit_runs', 'record_run'], fix: ADMIT },
  audit_outbox: {
    in: words(`
      store/audit/audit-outbox.ts store/authored/console-documents.ts store/bus/dead-letters.ts
      store/knowledge/knowledge.ts store/models/model-probes.ts store/authored/policy-documents.ts
      store/authored/presets.ts store/schedules/schedules.ts store/users.ts store/api-keys.ts store/workspaces.ts
      store/saved-views.ts store/connections/connections.ts store/connections/authorizations.ts
      store/connections/mcp-tools.ts`),
    by: ['append_audit', 'admit_runs', 'change_schedule'],
    fix: AUDIT,
  },
}

/** Who may call the functions of the database that write them. */
export const FUNCTIONS: Record<string, Permission> = {
  admit_runs: { in: ['store/runs/runs.ts'], fix: ADMIT },
  attach_alerts: { in: ['store/runs/runs.ts'], fix: ADMIT },
  record_run: { in: ['store/runs/runs.ts'], fix: RECORD },
  append_events: { in: ['store/runs/runs.ts'], fix: 'Call RunStore.appendEvents (store/runs/runs.ts)' },
  reserve_model_call: { in: ['store/models/model-calls.ts'], fix: MODEL },
  settle_model_call: { in: ['store/models/model-calls.ts'], fix: MODEL },
  record_ask_turn: { in: ['store/ask/ask-threads.ts'], fix: ASK },
  forget_runs: { in: ['store/runs/run-retention.ts'], fix: 'Call forgetRuns: each run that goes leaves a record' },
  forget_pipelines: { in: ['store/runs/run-retention.ts'], fix: 'Call forgetPipelines, which leaves a record of each' },
  number_events: { fix: 'Call RunStore.appendEvents (store/runs/runs.ts)' },
  append_audit: {
    in: words(`
      store/runs/runs.ts store/runs/remote-jobs.ts store/alerts/inbox.ts store/audit/audit-file.ts
      store/skill-firings.ts`),
    by: words(`
      charge_attempt advance_pipeline_step cancel_pipeline forget_pipelines forget_runs lift_halt record_ask_turn
      record_config record_pipeline record_refusals record_run refuse_claim set_halt settle_firing start_pipeline
      settle_model_call remark_on_gate`),
    fix: AUDIT,
  },
  start_pipeline: { in: ['store/pipelines/pipelines.ts'], fix: PIPELINE },
  record_pipeline: { in: ['store/pipelines/pipelines.ts'], fix: PIPELINE },
  resolve_gate: { in: ['store/gates/gate-decisions.ts'], fix: GATE },
  remark_on_gate: { in: ['store/gates/gate-decisions.ts'], fix: 'Call acknowledgeGate or commentOnGate' },
  refuse_claim: { in: ['store/gates/gate-decisions.ts'], fix: 'Call refuseClaim (services/approvals/refuse-claim.ts)' },
}
