import { type Places, places } from './places.ts'

const ADMIT =
  'Call admitRun (services/runs/admit-run.ts): admit_runs writes the row with its events, its audit and its outbox'
const RECORD =
  'Hand the change to RunStore.record (store/runs.ts): record_run checks the fence and writes events and audit with it'
const GATE =
  'Hand the change to GateDecisions.resolve through decideGate, or to record_run: gates are written by those functions'
const PIPELINE =
  'Hand the change to PipelineStore.record (store/pipelines.ts): record_pipeline asks for the version that it was decided on'
const MODEL = 'Call callModel (services/models/call-model.ts), which reserves, settles and records every attempt'
const ASK = 'Call recordTurn (services/ask/record-turn.ts): a turn is written with its audit record and its event'
const AUDIT =
  'Call append_audit in the statement of its change, list the file in test/unit/house/law/tables.ts, or call RunStore.appendAudit'

/** Tables that only functions of the database write, and files that may write them all the same. */
export const TABLES: Record<string, { in: Places; instead: string }> = {
  // copies of a run, to measure among many of them; the note that a held run was woken
  runs: { in: places('writes runs', 'bench/q2-growth.ts', 'store/halts.ts'), instead: `${ADMIT}. ${RECORD}` },
  run_steps: { in: places('writes run_steps'), instead: RECORD },
  run_events: {
    in: places('writes run_events'),
    instead: 'Call RunStore.appendEvents (store/runs.ts): events are numbered under the lock of their run',
  },
  gates: { in: places('writes gates'), instead: GATE },
  gate_decisions: { in: places('writes gate_decisions'), instead: GATE },
  ledger_entries: { in: places('writes ledger_entries'), instead: RECORD },
  pipelines: { in: places('writes pipelines'), instead: PIPELINE },
  pipeline_steps: { in: places('writes pipeline_steps'), instead: PIPELINE },
  pipeline_children: { in: places('writes pipeline_children'), instead: PIPELINE },
  pipeline_events: { in: places('writes pipeline_events'), instead: PIPELINE },
  pipeline_budgets: { in: places('writes pipeline_budgets'), instead: RECORD },
  model_calls: { in: places('writes model_calls', 'bench/q7.ts', 'store/model-calls.ts'), instead: MODEL },
  ask_turns: { in: places('writes ask_turns'), instead: ASK },
  ask_tool_results: { in: places('writes ask_tool_results'), instead: ASK },
  // a start that the engine has taken leaves the line
  start_outbox: { in: places('writes start_outbox', 'store/runs.ts'), instead: ADMIT },
  audit_outbox: {
    in: places(
      'writes audit_outbox',
      'store/audit-outbox.ts',
      'store/console-documents.ts',
      'store/dead-letters.ts',
      'store/knowledge.ts',
      'store/model-probes.ts',
      'store/policy-documents.ts',
      'store/presets.ts',
      'store/schedules.ts',
      'store/users.ts',
      'store/api-keys.ts',
      'store/workspaces.ts',
    ),
    instead: AUDIT,
  },
}

/** Functions of the database, each with the one file that calls it. */
export const FUNCTIONS: { name: string; in: Places; instead: string }[] = [
  { name: 'admit_runs', in: places('admit_runs', 'store/runs.ts'), instead: ADMIT },
  { name: 'attach_alerts', in: places('attach_alerts', 'store/runs.ts'), instead: ADMIT },
  { name: 'record_run', in: places('record_run', 'store/runs.ts'), instead: RECORD },
  {
    name: 'append_events',
    in: places('append_events', 'store/runs.ts'),
    instead: 'Call RunStore.appendEvents (store/runs.ts)',
  },
  { name: 'reserve_model_call', in: places('reserve_model_call', 'store/model-calls.ts'), instead: MODEL },
  { name: 'settle_model_call', in: places('settle_model_call', 'store/model-calls.ts'), instead: MODEL },
  { name: 'record_ask_turn', in: places('record_ask_turn', 'store/ask-threads.ts'), instead: ASK },
  {
    name: 'forget_runs',
    in: places('forget_runs', 'store/run-retention.ts'),
    instead: 'Call forgetRuns (services/runs/forget-runs.ts): each run that goes leaves a record',
  },
  {
    name: 'forget_pipelines',
    in: places('forget_pipelines', 'store/run-retention.ts'),
    instead: 'Call forgetPipelines (services/pipelines/forget-pipelines.ts): each pipeline that goes leaves a record',
  },
  { name: 'number_events', in: places('number_events'), instead: 'Call RunStore.appendEvents (store/runs.ts)' },
  {
    name: 'append_audit',
    in: places('append_audit', 'store/runs.ts', 'store/inbox.ts', 'store/audit-file.ts', 'store/skill-firings.ts'),
    instead: AUDIT,
  },
  { name: 'start_pipeline', in: places('start_pipeline', 'store/pipelines.ts'), instead: PIPELINE },
  { name: 'record_pipeline', in: places('record_pipeline', 'store/pipelines.ts'), instead: PIPELINE },
  { name: 'resolve_gate', in: places('resolve_gate', 'store/gate-decisions.ts'), instead: GATE },
  {
    name: 'refuse_claim',
    in: places('refuse_claim', 'store/gate-decisions.ts'),
    instead: 'Call refuseClaim (services/approvals/refuse-claim.ts)',
  },
]

/** In SQL files: which functions may write which of these tables; a migration, where its change of the schema fills what is there. */
export const MIGRATED: Record<string, string[]> = {
  runs: [
    'admit_runs',
    'attach_alerts',
    'append_events',
    'charge_lost',
    'forget_runs',
    'record_run',
    'reserve_model_call',
    'resolve_alerts',
    'settle_model_call',
  ],
  run_steps: [
    'charge_lost',
    'charge_model_call',
    'reserve_model_call',
    'forget_runs',
    'record_run',
    'settle_step',
    'open_step',
    'open_gate',
    'end_steps',
    'resolve_gate',
  ],
  run_events: ['number_events', 'admit_runs', 'attach_alerts', 'forget_runs', 'resolve_alerts'],
  gates: ['forget_runs', 'record_run', 'open_gate', 'end_steps', 'resolve_gate'],
  gate_decisions: ['forget_runs', 'resolve_gate'],
  ledger_entries: ['record_run', 'charge_attempt', 'forget_runs'],
  model_calls: ['charge_model_call', 'forget_runs', 'reserve_model_call'],
  ask_turns: ['record_ask_turn'],
  ask_tool_results: ['record_ask_turn'],
  start_outbox: ['admit_runs', 'record_run'],
  pipelines: [
    'start_pipeline',
    'record_pipeline',
    'advance_pipeline_step',
    'cancel_pipeline',
    'release_pipelines',
    'begin_children',
    'forget_pipelines',
  ],
  pipeline_steps: ['start_pipeline', 'record_pipeline', 'advance_pipeline_step', 'forget_pipelines'],
  pipeline_children: ['record_pipeline', 'release_pipelines', 'begin_children', 'forget_pipelines'],
  pipeline_events: ['number_pipeline_events', 'forget_pipelines'],
  pipeline_budgets: ['start_pipeline', 'move_pipeline_budget', 'forget_pipelines'],
  audit_outbox: ['append_audit', 'admit_runs', 'change_schedule'],
}

/** In SQL files: which functions may call one that writes for others. */
export const CALLERS: Record<string, string[]> = {
  append_audit: [
    'charge_attempt',
    'advance_pipeline_step',
    'cancel_pipeline',
    'forget_pipelines',
    'forget_runs',
    'lift_halt',
    'record_ask_turn',
    'record_config',
    'record_pipeline',
    'record_refusals',
    'record_run',
    'refuse_claim',
    'set_halt',
    'settle_firing',
    'start_pipeline',
    'settle_model_call',
  ],
}
