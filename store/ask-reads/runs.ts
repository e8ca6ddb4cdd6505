import type { MicroUsd } from '#core/money.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { Db } from '../db.ts'
import { type AskRead, COUNTED } from './read.ts'

export interface AskRunFilter {
  status?: RunStatus | undefined
  /** pack/template */
  template?: string | undefined
  environment?: string | undefined
  trigger?: string | undefined
  since_hours?: number | undefined
  /** in the id, the template, the reason or the failure, in any case */
  text?: string | undefined
}

export interface AskRunRow {
  run_id: string
  template: string
  status: RunStatus
  status_reason: string | null
  environment: string
  risk: string
  trigger: string
  reason: string | null
  failure: string | null
  attached_count: number
  cost_micro_usd: MicroUsd
  created_at: string
  started_at: string | null
  awaiting_since: string | null
  ended_at: string | null
}

/** Runs, newest first, and how many there are, counted so far. */
export async function listAskRuns(
  { workspace_id, in: read }: AskRead,
  filter: AskRunFilter,
  limit: number,
): Promise<{ rows: AskRunRow[]; total: number }> {
  const [rows, counted] = await Promise.all([
    read(
      (db) => db<AskRunRow[]>`
      select r.id as run_id, r.pack || '/' || r.template as template, r.status, r.status_reason, r.environment, r.risk,
        r.trigger_type as trigger, r.reason, r.error ->> 'message' as failure, r.attached_count,
        r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd as cost_micro_usd, r.created_at, r.started_at, r.awaiting_since, r.ended_at
      from runs r where ${matching(db, workspace_id, filter)} order by r.created_at desc, r.id desc limit ${limit}`,
    ),
    read(
      (db) => db<{ total: number }[]>`
      select count(*) as total from (select from runs r where ${matching(db, workspace_id, filter)} limit ${COUNTED + 1}) counted`,
    ),
  ])
  return { rows, total: counted[0]?.total ?? 0 }
}

export const RUN_GROUPS = ['status', 'template', 'environment', 'trigger', 'failure', 'day'] as const
export type RunGroup = (typeof RUN_GROUPS)[number]

export interface AskRunCount {
  group: string
  runs: number
  cost_micro_usd: MicroUsd
  /** duration of ended runs: median and maximum */
  p50_s: number | null
  max_s: number | null
}

/** Counts the newest runs by kind, with their costs and durations; the largest groups first, days newest first. */
export async function countAskRuns(
  { workspace_id, in: read }: AskRead,
  filter: AskRunFilter & { group_by: RunGroup },
  limit: number,
): Promise<AskRunCount[]> {
  return await read(
    (db) => db<AskRunCount[]>`
    select coalesce(g, 'none') as "group", count(*) as runs, sum(cost)::bigint as cost_micro_usd,
      round(percentile_cont(0.5) within group (order by took)::numeric, 1)::float8 as p50_s, round(max(took)::numeric, 1)::float8 as max_s
    from (
      select ${groupOf(db, filter.group_by)} as g, r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd as cost,
        extract(epoch from r.ended_at - r.created_at)::float8 as took
      from runs r where ${matching(db, workspace_id, filter)} order by r.created_at desc, r.id desc limit ${COUNTED}
    ) counted group by g
    order by ${filter.group_by === 'day' ? db`g` : db`count(*)`} desc, g limit ${limit}`,
  )
}

function groupOf(db: Db, group: RunGroup) {
  switch (group) {
    case 'status':
      return db`r.status`
    case 'template':
      return db`r.pack || '/' || r.template`
    case 'environment':
      return db`r.environment`
    case 'trigger':
      return db`r.trigger_type`
    case 'failure':
      return db`r.error ->> 'code'`
    case 'day':
      return db`to_char(r.created_at at time zone 'utc', 'YYYY-MM-DD')`
  }
}

function matching(db: Db, workspaceId: string, filter: AskRunFilter) {
  const { status, template, environment, trigger, since_hours, text } = filter
  return db`r.workspace_id = ${workspaceId}
    ${status === undefined ? db`` : db`and r.status = ${status}`}
    ${template === undefined ? db`` : db`and r.pack || '/' || r.template = ${template}`}
    ${environment === undefined ? db`` : db`and r.environment = ${environment}`}
    ${trigger === undefined ? db`` : db`and r.trigger_type = ${trigger}`}
    ${since_hours === undefined ? db`` : db`and r.created_at >= now() - ${since_hours}::float8 * interval '1 hour'`}
    ${text === undefined ? db`` : db`and position(lower(${text}) in lower(concat_ws(' ', r.id, r.pack || '/' || r.template, r.reason, r.error ->> 'code', r.error ->> 'message'))) > 0`}`
}
