import { ASK_READS, ASK_ROLE } from '../ask-role.ts'

/** The role that the running services use: it can read and write rows, never change the schema. */
export const APP_ROLE = 'svc_app'

/** Written by migrations alone. */
const READ_ONLY = ['applied_functions', 'kysely_migration', 'kysely_migration_lock']

/** What was written there stays as it was written. */
const APPEND_ONLY = [
  'run_events',
  'gate_decisions',
  'ledger_entries',
  'artifact_bodies',
  'plans',
  'run_secrets',
  'ask_turns',
  'ask_tool_results',
]

/** Rows that do not outlive their purpose. */
const DELETABLE = [
  'start_outbox',
  'idempotency_keys',
  'worker_heartbeats',
  'console_policies',
  'console_documents',
  'presets',
  'knowledge_corpora',
  'knowledge_documents',
  'knowledge_chunks',
  'bus_outbox',
  'bus_messages',
  'bus_dead_letters',
  'set_aside',
  'inbox_items',
  'skill_firings',
  'schedule_firings',
  'ingress_deliveries',
  'refusals',
  'pipeline_outbox',
  'pipeline_wakes',
  'ask_threads',
]

/** Tables without rows of a workspace. Every other table is under row-level security, also for its owner. */
const SHARED_TABLES = [
  ...READ_ONLY,
  'audit_file',
  'bus_head',
  'bus_settings',
  'bus_topics',
  'leases',
  'plans',
  'users',
  'worker_heartbeats',
]

/** Functions that the reads of the ask agent, and the policies of its tables, call. */
const ASK_CALLS = ['requesters_of', 'sees_gate', 'sees_pipeline', 'sees_run']

export const SERVICE_ROLES = [APP_ROLE, ASK_ROLE]

/** Whether row-level security applies to a table. */
export function isLocked(table: string): boolean {
  return !SHARED_TABLES.includes(table)
}

/** What the role of the services may do with a table or view. */
export function appPrivileges(table: string): string[] {
  if (READ_ONLY.includes(table)) return ['SELECT']
  return [
    'SELECT',
    'INSERT',
    ...(APPEND_ONLY.includes(table) ? [] : ['UPDATE']),
    ...(DELETABLE.includes(table) ? ['DELETE'] : []),
  ]
}

/** The columns of a table that the ask agent may read; undefined for none of them. */
export function askColumns(table: string): string[] | 'all' | undefined {
  return ASK_READS[table]
}

export function mayAskCall(functionName: string): boolean {
  return ASK_CALLS.includes(functionName)
}
