import { ASK_READS, ASK_ROLE } from '../ask/ask-role.ts'
import { readFunctions } from '../read-sql.ts'
import type { ObjectKind } from './read-rights.ts'

/** The role that the running services use: it can read and write rows, never change the schema. */
export const APP_ROLE = 'svc_app'

/** Written by migrations alone. */
const READ_ONLY = ['applied_functions', 'schema_migrations']

/** Tables whose rows never change. */
const APPEND_ONLY = [
  'run_events',
  'gate_decisions',
  'ledger_entries',
  'artifact_bodies',
  'plans',
  'run_secrets',
  'ask_turns',
  'ask_tool_results',
  'connection_uses',
]

/** Rows that do not outlive their purpose. */
const DELETABLE = [
  'start_outbox',
  'idempotency_keys',
  'worker_heartbeats',
  'console_policies',
  'console_documents',
  'presets',
  'saved_views',
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
  'alert_ends',
  'pipeline_outbox',
  'pipeline_wakes',
  'ask_threads',
  'connections',
  'connection_secrets',
  'artifact_removals',
  'connection_grants',
  'oauth_flows',
  'mcp_tools',
]

/** Tables without rows of a workspace. */
const SHARED_TABLES = [
  ...READ_ONLY,
  'audit_file',
  'bus_head',
  'bus_settings',
  'bus_topics',
  'connection_grants',
  'connection_secrets',
  'connections',
  'leases',
  'mcp_tools',
  'oauth_flows',
  'plans',
  'users',
  'worker_heartbeats',
]

/** Tables with rows of workspaces: under row-level security, also for their owner. */
const LOCKED_TABLES = [
  'alert_ends',
  'api_keys',
  'artifact_bodies',
  'artifact_removals',
  'artifacts',
  'ask_threads',
  'ask_tool_results',
  'ask_turns',
  'audit_outbox',
  'bus_cursors',
  'bus_dead_letters',
  'bus_messages',
  'bus_outbox',
  'config_items',
  'connection_uses',
  'console_documents',
  'console_policies',
  'environment_budgets',
  'gate_decisions',
  'gate_notices',
  'gates',
  'halt_refusals',
  'halts',
  'idempotency_keys',
  'inbox_items',
  'ingress_deliveries',
  'knowledge_chunks',
  'knowledge_corpora',
  'knowledge_documents',
  'ledger_entries',
  'magic_links',
  'model_calls',
  'model_probes',
  'notice_deliveries',
  'notice_digests',
  'pipeline_budgets',
  'pipeline_children',
  'pipeline_events',
  'pipeline_outbox',
  'pipeline_steps',
  'pipeline_wakes',
  'pipelines',
  'presets',
  'refusals',
  'remote_jobs',
  'run_alert_members',
  'run_alert_states',
  'run_alerts',
  'run_events',
  'run_secrets',
  'run_steps',
  'run_trigger_alerts',
  'runs',
  'saved_views',
  'schedule_firings',
  'schedules',
  'set_aside',
  'skill_firings',
  'start_outbox',
  'trigger_throttles',
  'workspaces',
]

const VIEWS = ['visible_run_alerts', 'visible_run_steps']

const DEFINED = /^create (?:or replace )?(?:function|procedure) (\w+)/gim

/** Functions that the reads of the ask agent, and the policies of its tables, call. */
const ASK_CALLS = ['requesters_of', 'searched_text', 'sees_gate', 'sees_pipeline', 'sees_run']

export const SERVICE_ROLES = [APP_ROLE, ASK_ROLE]

/** Tells whether row-level security applies to a table. */
export function isLocked(table: string): boolean {
  return LOCKED_TABLES.includes(table)
}

const TABLES = [...SHARED_TABLES, ...LOCKED_TABLES, ...VIEWS]
let functions: Set<string> | undefined

/** Tells whether an object belongs to the release. Other objects in the schema keep their owner and rights. */
export function isOfRelease(kind: ObjectKind, plain: string): boolean {
  if (kind === 'schema') return true
  if (kind === 'table') return TABLES.includes(plain)
  if (kind === 'sequence') return TABLES.some((table) => plain === `${table}_id_seq`)
  functions ??= new Set(
    readFunctions().flatMap(({ text }) => Array.from(text.matchAll(DEFINED), ([, name = '']) => name)),
  )
  return functions.has(plain)
}

/** Returns the rights of the services' role on a table or view. */
export function appPrivileges(table: string): string[] {
  if (READ_ONLY.includes(table)) return ['SELECT']
  return [
    'SELECT',
    'INSERT',
    ...(APPEND_ONLY.includes(table) ? [] : ['UPDATE']),
    ...(DELETABLE.includes(table) ? ['DELETE'] : []),
  ]
}

/** Returns the columns of a table that the ask agent may read; undefined for none. */
export function askColumns(table: string): string[] | 'all' | undefined {
  return ASK_READS[table]
}

export function mayAskCall(functionName: string): boolean {
  return ASK_CALLS.includes(functionName)
}
