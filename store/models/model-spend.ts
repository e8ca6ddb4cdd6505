import type { MicroUsd } from '#core/money.ts'
import type { Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

export interface SpendFilter {
  workspace_id: string
  /** `to` itself is not included */
  from: string
  to: string
  /** entries of each list but that of days */
  limit: number
  /** most calls that are added up, newest first */
  most_calls: number
}

export interface Spent {
  calls: number
  micro_usd: MicroUsd
}

export interface ModelSpend {
  totals: Spent & { overrun_micro_usd: MicroUsd; reported: number; estimated: number; unspent: number }
  complete: boolean
  by_model: (Spent & { model: string })[]
  by_run: (Spent & { run_id: string | null })[]
  by_person: (Spent & { person: string; name: string | null; key_id: string | null; key_name: string | null })[]
  by_day: (Spent & { day: string })[]
  open: { calls: number; reserved_micro_usd: MicroUsd; oldest_at: string | null }
  refusals: { code: string; count: number }[]
}

/** As many records of refusals are added up. */
const MAX_REFUSALS = 10_000
/** Operations that call models. */
const ASKING = ['createChatCompletion', 'probeModel', 'askQuestion', 'resolvePlan']

/** The cost of model calls in a workspace, in one statement and so of one moment. */
export function createModelSpend(tenants: TenantDb) {
  return {
    async of(filter: SpendFilter): Promise<ModelSpend> {
      const [row] = await tenants.in(filter.workspace_id, (db) => db<{ spend: ModelSpend }[]>`${spendOf(db, filter)}`)
      if (row === undefined) throw new Error('no sum was read')
      return row.spend
    },
  }
}

export type ModelSpendViews = ReturnType<typeof createModelSpend>

function spendOf(db: Db, { workspace_id, from, to, limit, most_calls }: SpendFilter) {
  const list = (rows: ReturnType<Db>) => db`(select coalesce(jsonb_agg(l), '[]') from (${rows}) l)`
  const spent = db`count(*) as calls, coalesce(sum(charged_micro_usd), 0) as micro_usd`
  return db`
    with found as materialized (
      select model, run_id, key_id, actor_id, state, basis, charged_micro_usd, overrun_micro_usd, created_at from model_calls
      where workspace_id = ${workspace_id} and created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz
      order by created_at desc limit ${most_calls + 1}
    ), calls as materialized (
      select * from found order by created_at desc limit ${most_calls}
    )
    select jsonb_build_object(
      'totals', (select to_jsonb(t) from (
        select ${spent}, coalesce(sum(overrun_micro_usd), 0) as overrun_micro_usd, count(*) filter (where basis = 'reported') as reported,
          count(*) filter (where basis = 'estimate') as estimated, count(*) filter (where basis = 'unspent') as unspent from calls) t),
      'complete', (select count(*) from found) <= ${most_calls},
      'by_model', ${list(db`select model, ${spent} from calls group by model order by micro_usd desc, model limit ${limit}`)},
      'by_run', ${list(db`select run_id, ${spent} from calls group by run_id order by micro_usd desc, run_id limit ${limit}`)},
      'by_person', ${list(db`
        select c.*, coalesce(nullif(u.display_name, ''), u.email) as name, k.name as key_name from (
          select actor_id as person, key_id, ${spent} from calls group by actor_id, key_id
          order by micro_usd desc, actor_id, key_id limit ${limit}) c
        left join users u on u.id = c.person left join api_keys k on k.id = c.key_id
        order by c.micro_usd desc, c.person, c.key_id`)},
      'by_day', ${list(db`
        select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, ${spent} from calls group by 1 order by 1`)},
      'open', (select to_jsonb(o) from (
        select count(*) as calls, coalesce(sum(reserved_micro_usd), 0) as reserved_micro_usd, iso_time(min(created_at)) as oldest_at
        from model_calls where workspace_id = ${workspace_id} and state = 'reserved') o),
      'refusals', ${list(db`
        select code, sum(times) as count from (
          (select draft #>> '{data,code}' as code, coalesce((draft #>> '{data,times}')::bigint, 1) as times from audit_outbox
          where workspace_id = ${workspace_id} and draft ->> 'action' = 'request.refused' and ts >= ${from} and ts < ${to}
            and draft #>> '{data,operation}' = any(${ASKING}::text[])
          order by ts desc limit ${MAX_REFUSALS})
          union all
          -- what the audit log is not told of yet
          select draft #>> '{data,code}', refused - reported from refusals
          where refused > reported and reported_at >= ${from}::timestamptz and reported_at < ${to}::timestamptz
            and workspace_id = ${workspace_id} and action = 'request.refused' and draft #>> '{data,operation}' = any(${ASKING}::text[])
        ) refused
        group by code order by count desc, code`)}
    ) as spend`
}
