import { expect } from 'vitest'
import type { Db } from '#store/db.ts'

interface Books {
  status: string
  cap: number
  spent: number
  reserved: number
  ledger: number
  steps_cost: number
  steps_reserved: number
  /** what the events say was settled, and what they leave reserved */
  reported_spent: number
  reported_reserved: number
  audited: number
  attempts: { step: string; attempt: number; micro_usd: number; reserved: number; basis: 'reported' | 'estimate' }[]
  reported: Books['attempts']
  by_kind: number[]
  ledger_by_kind: number[]
}

/**
 * Proves the books of a run as they stand, at any moment of its life: record, steps, ledger, events and audit agree to the
 * micro-dollar, and the cap holds. Everything is read in one statement, so of one moment.
 */
export async function proveLedger(db: Db, runId: string): Promise<Books> {
  const [books] = await db<Books[]>`
    with entries as (
      select *, llm_micro_usd + gpu_micro_usd + storage_micro_usd as total from ledger_entries where run_id = ${runId}
    ), reported as (
      select type, step_id, (data ->> 'attempt')::int as attempt, data ->> 'basis' as basis,
        ((data ->> 'usd')::numeric * 1000000)::int as usd, ((data ->> 'reserved_usd')::numeric * 1000000)::int as reserved
      from run_events where run_id = ${runId} and type in ('budget.reserved', 'budget.settled', 'model.called')
    )
    select r.status, r.cap_micro_usd::int as cap, r.reserved_micro_usd::int as reserved,
      (r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd)::int as spent,
      (select coalesce(sum(total), 0)::int from entries) as ledger,
      (select coalesce(sum(cost_micro_usd), 0)::int from run_steps where run_id = r.id) as steps_cost,
      (select coalesce(sum(reserved_micro_usd), 0)::int from run_steps where run_id = r.id) as steps_reserved,
      (select coalesce(sum(usd), 0)::int from reported where type = 'budget.settled') as reported_spent,
      (select -- a call that was made leaves with its step what it cost
       coalesce(sum(case type when 'budget.reserved' then usd when 'model.called' then usd - reserved else -reserved end), 0)::int
       from reported) as reported_reserved,
      (select coalesce(sum((draft #>> '{data,cost_usd}')::numeric * 1000000), 0)::int from audit_outbox
       where draft ->> 'run_id' = r.id and draft ->> 'action' = 'step.settled') as audited,
      (select coalesce(json_agg(json_build_object('step', step_id, 'attempt', attempt, 'micro_usd', total,
         'reserved', reserved_micro_usd, 'basis', basis) order by step_id, attempt), '[]') from entries) as attempts,
      (select coalesce(json_agg(json_build_object('step', step_id, 'attempt', attempt, 'micro_usd', usd,
         'reserved', reserved, 'basis', basis) order by step_id, attempt), '[]')
       from reported where type = 'budget.settled' and basis <> 'unsent') as reported,
      array[r.llm_micro_usd, r.gpu_micro_usd, r.storage_micro_usd]::int[] as by_kind,
      (select array[coalesce(sum(llm_micro_usd), 0), coalesce(sum(gpu_micro_usd), 0),
         coalesce(sum(storage_micro_usd), 0)]::int[] from entries) as ledger_by_kind
    from runs r where r.id = ${runId}`
  if (books === undefined) throw new Error(`no run ${runId}`)
  const { spent, reserved } = books
  expect(books, runId).toMatchObject({ ledger: spent, steps_cost: spent, reported_spent: spent, audited: spent })
  expect(books, runId).toMatchObject({ steps_reserved: reserved, reported_reserved: reserved })
  expect(books.reported, runId).toEqual(books.attempts)
  expect(books.ledger_by_kind, runId).toEqual(books.by_kind)
  expect(spent + reserved, runId).toBeLessThanOrEqual(books.cap)
  if (['succeeded', 'failed', 'rejected', 'cancelled', 'expired'].includes(books.status))
    expect(reserved, runId).toBe(0)
  return books
}

/** Proves the days of all caps: each row is the sum of what the ledger and the steps under way say of that day. */
export async function proveDays(db: Db): Promise<{ environment: string; day: string; spent: number; cap: number }[]> {
  const days = await db<
    { environment: string; day: string; cap: number; spent: number; reserved: number; ledger: number; steps: number }[]
  >`
    select b.environment, b.day::text, b.cap_micro_usd::int as cap, b.spent_micro_usd::int as spent,
      b.reserved_micro_usd::int as reserved,
      (select coalesce(sum(llm_micro_usd + gpu_micro_usd + storage_micro_usd), 0)::int from ledger_entries l
       where l.workspace_id = b.workspace_id and case b.environment when '*' then l.workspace_budget_day = b.day
         else l.environment = b.environment and l.budget_day = b.day end) as ledger,
      (select coalesce(sum(s.reserved_micro_usd), 0)::int from run_steps s join runs r on r.id = s.run_id
       where s.reserved_micro_usd > 0 and r.workspace_id = b.workspace_id
         and case b.environment when '*' then s.workspace_budget_day = b.day
             else r.environment = b.environment and s.budget_day = b.day end) as steps
    from environment_budgets b`
  for (const day of days) {
    expect(day).toMatchObject({ ledger: day.spent, steps: day.reserved })
    expect(day.spent + day.reserved, day.environment).toBeLessThanOrEqual(day.cap)
  }
  return days
}
