import type { MicroUsd } from '#core/money.ts'
import { type AskRead, COUNTED } from './read.ts'

export const COST_GROUPS = ['template', 'environment', 'day', 'run'] as const
export type CostGroup = (typeof COST_GROUPS)[number]

export interface AskCostRow {
  group: string
  runs: number
  llm_micro_usd: MicroUsd
  gpu_micro_usd: MicroUsd
  storage_micro_usd: MicroUsd
  total_micro_usd: MicroUsd
}

/** Returns the costs of the newest runs, highest first. */
export async function sumAskCosts(
  { workspace_id, in: read }: AskRead,
  { group_by, since_hours }: { group_by: CostGroup; since_hours: number },
  limit: number,
): Promise<AskCostRow[]> {
  return await read(
    (db) => db<AskCostRow[]>`
    select summed.*, llm_micro_usd + gpu_micro_usd + storage_micro_usd as total_micro_usd
    from (
      select ${
        {
          template: db`r.pack || '/' || r.template`,
          environment: db`r.environment`,
          day: db`to_char(r.created_at at time zone 'utc', 'YYYY-MM-DD')`,
          run: db`r.id`,
        }[group_by]
      } as "group", count(*) as runs, sum(r.llm_micro_usd)::bigint as llm_micro_usd, sum(r.gpu_micro_usd)::bigint as gpu_micro_usd,
        sum(r.storage_micro_usd)::bigint as storage_micro_usd
      from (
        select id, pack, template, environment, created_at, llm_micro_usd, gpu_micro_usd, storage_micro_usd from runs
        where workspace_id = ${workspace_id} and created_at >= now() - ${since_hours}::float8 * interval '1 hour'
        order by created_at desc, id desc limit ${COUNTED}
      ) r group by 1
    ) summed order by total_micro_usd desc, 1 limit ${limit}`,
  )
}

export interface AskModelCost {
  model: string
  calls: number
  cost_micro_usd: MicroUsd
}

/** Sums up the costs of model calls, with or without runs. */
export async function sumAskModelCosts(
  { workspace_id, in: read }: AskRead,
  since_hours: number,
  limit: number,
): Promise<AskModelCost[]> {
  return await read(
    (db) => db<AskModelCost[]>`
    select model, count(*) as calls, sum(case state when 'reserved' then reserved_micro_usd else charged_micro_usd end)::bigint as cost_micro_usd
    from model_calls where workspace_id = ${workspace_id} and created_at >= now() - ${since_hours}::float8 * interval '1 hour'
    group by model order by cost_micro_usd desc, model limit ${limit}`,
  )
}

export interface AskBudgetRow {
  environment: string
  day: string
  cap_micro_usd: MicroUsd
  spent_micro_usd: MicroUsd
  reserved_micro_usd: MicroUsd
}

/** The budgets of the last days, where there is a cap a day; `*` is the whole workspace. */
export async function listAskBudgets(
  { workspace_id, in: read }: AskRead,
  days: number,
  limit: number,
): Promise<AskBudgetRow[]> {
  return await read(
    (db) => db<AskBudgetRow[]>`
    select environment, day, cap_micro_usd, spent_micro_usd, reserved_micro_usd from environment_budgets
    where workspace_id = ${workspace_id} and day > (now() at time zone 'utc')::date - ${days}::integer
    order by day desc, environment limit ${limit}`,
  )
}
