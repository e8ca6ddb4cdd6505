import { expect, vi } from 'vitest'
import type { Db } from '#store/db.ts'
import type { StormAnswer } from './alert-storm.ts'
import { stormFingerprint } from './alert-storm.ts'
import { proveAudit } from './crash-record.ts'
import { PATIENCE } from './patience.ts'

interface Folded {
  fingerprint: string
  runs: number
  attached: number
  alerts: number
}

/**
 * Proves from the tables alone that each fingerprint stands for as many alerts as were accepted: those that started a run, and
 * those that its runs have counted, listed and told of.
 */
export async function proveFold(db: Db, accepted: ReadonlyMap<string, number>): Promise<void> {
  const folded = await db<Folded[]>`
    select fingerprint, count(*)::int as runs, sum(attached_count)::int as attached,
      sum((select count(*) from run_alerts a where a.run_id = runs.id and a.status = 'firing'))::int as alerts
    from runs where fingerprint is not null group by fingerprint order by fingerprint`
  const counted = folded.map(({ fingerprint, runs, attached }) => [fingerprint, runs + attached])
  const expected = Array.from(accepted).sort(([a], [b]) => (a < b ? -1 : 1))
  expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected))
  expect(Object.fromEntries(folded.map(({ fingerprint, alerts }) => [fingerprint, alerts]))).toEqual(
    Object.fromEntries(expected),
  )
  const untold = await db`
    select runs.id, attached_count, told from runs left join lateral (
      select coalesce(sum((data ->> 'count')::int), 0)::int as told from run_events
      where run_id = runs.id and type = 'alert.attached') events on true
    where attached_count <> told`
  expect([...untold]).toEqual([])
}

/** Proves that no two runs of a fingerprint were ever active together: each was queued after the one before had ended. */
export async function proveOneActive(db: Db): Promise<void> {
  const overlaps = await db`
    with lives as (
      select runs.id, fingerprint,
        (select ts from run_events where run_id = runs.id and type = 'run.queued') as began,
        (select max(ts) from run_events where run_id = runs.id
          and type in ('run.succeeded', 'run.failed', 'run.rejected', 'run.cancelled', 'run.expired')) as ended
      from runs where fingerprint is not null
    ), followed as (
      select *, lead(id) over by_start as next_id, lead(began) over by_start as next_began
      from lives window by_start as (partition by fingerprint order by began, id)
    )
    select * from followed where next_began < coalesce(ended, 'infinity')`
  expect([...overlaps]).toEqual([])
}

/** Proves that what senders were told is so: the run exists and is of the fingerprint, and no place in its count was given twice. */
export async function proveAnswers(db: Db, answers: readonly StormAnswer[]): Promise<void> {
  const runs = await db<{ id: string; fingerprint: string; attached_count: number }[]>`
    select id, fingerprint, attached_count from runs where fingerprint is not null`
  const runOf = new Map(runs.map((run) => [run.id, run]))
  const places = new Map<string, string>()
  for (const { alert, replayed, result } of answers) {
    // what the inbox took while others waited is answered later, to nobody
    if (result === undefined) continue
    const run = runOf.get(result.run_id ?? '')
    expect(run?.fingerprint).toBe(stormFingerprint(alert.service))
    // what an earlier attempt has folded is answered without its place
    if (result.attached_count === undefined) continue
    const place = `${run?.id} ${result.outcome} ${result.attached_count}`
    if (!replayed) expect(places.has(place), `${place} to ${alert.member}, as to ${places.get(place)}`).toBe(false)
    expect(places.get(place) ?? alert.member).toBe(alert.member)
    places.set(place, alert.member)
    expect(result.attached_count).toBeLessThanOrEqual(run?.attached_count ?? 0)
  }
}

/** Proves that every run has a timeline without gaps, and that the audit chain holds and knows each admission once; waits until none is at work. */
export async function proveTimelines(db: Db, home: string): Promise<void> {
  const atWork = () => db`select id, status from runs where status in ('queued', 'running', 'cancelling')`
  await vi.waitFor(async () => expect([...(await atWork())]).toEqual([]), PATIENCE)
  const gaps = await db`
    select runs.id, last_seq, count(seq)::int as events, min(seq) as first, max(seq) as last
    from runs left join run_events on run_id = runs.id group by runs.id
    having count(seq) <> last_seq or min(seq) <> 1 or max(seq) <> last_seq`
  expect([...gaps]).toEqual([])
  await proveAudit(db, home)
  const unanswered = await db`
    select runs.id, count(draft)::int as admissions from runs
    left join audit_outbox on draft ->> 'action' = 'run.admitted' and draft #>> '{subject,id}' = runs.id
    group by runs.id having count(draft) <> 1`
  expect([...unanswered]).toEqual([])
}
