import type { AlertRecord } from '#core/trigger/alert-record.ts'
import type { Db } from './db.ts'

/** What a message says of the alert that started a run, and of what is proposed. */
export type RunHeadline = Pick<AlertRecord, 'title' | 'severity' | 'service' | 'symptom' | 'source' | 'links'> & {
  /** where the tool shows what raised the alert */
  generator_url: string | null
  /** what the last gate of the run proposes */
  proposal: string | null
}

/** What a message about a run begins with, read by two keys; undefined for a run that no alert started. For whoever serves every workspace. */
export async function findRunHeadline(db: Db, runId: string): Promise<RunHeadline | undefined> {
  const [row] = await db<RunHeadline[]>`
    select alert ->> 'title' as title, alert ->> 'severity' as severity, alert ->> 'service' as service,
      alert ->> 'symptom' as symptom, alert ->> 'source' as source, alert -> 'links' as links,
      alert ->> 'generator_url' as generator_url,
      (select g.view #>> '{plan,summary}' from gates g where g.run_id = t.run_id order by g.opened_at desc limit 1) as proposal
    from run_trigger_alerts t where t.run_id = ${runId}`
  return row
}
