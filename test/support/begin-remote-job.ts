import { createIds } from '#platform/ids.ts'
import type { Db } from '#store/db.ts'
import { createRunStore } from '#store/runs/runs.ts'

const ids = createIds()
export const HASH = `sha256:${'a'.repeat(64)}`

/** A remote job as it is opened. */
export const jobOpening = (deadline_ms = 60_000) => ({
  ...{ id: ids.next('remote_job'), queue: 'ml', input_digest: HASH, attest: null, idempotent: false, deadline_ms },
  result_schema: { type: 'object' },
  spec: {
    ...{ task_queue: 'ml-gpu', activity: 'train', activity_id: 'any', args: [null], heartbeat_ms: null },
    ...{ schedule_to_start_ms: 1_000, start_to_close_ms: 1_000 },
  },
})

/** Takes a run and opens its first step as a remote job. */
export async function openRemoteStep(
  db: Db,
  run_id: string,
  { reserve_micro_usd = 0, deadline_ms }: { reserve_micro_usd?: number; deadline_ms?: number } = {},
): Promise<{ id: string; run_id: string; fence: number }> {
  const runs = createRunStore(db)
  const taken = await runs.take(run_id)
  if ('refused' in taken) throw new Error(`${run_id} was not taken: ${taken.refused}`)
  const remote_job = jobOpening(deadline_ms)
  const step = { step_id: 'one', ordinal: 0, attempt: 1, plan_hash: HASH, ask_standing: false }
  const { fence } = taken.recorded
  const opened = await runs.record({ run_id, fence, open: { ...step, reserve_micro_usd, remote_job } })
  if ('refused' in opened) throw new Error(`${run_id} was not opened: ${opened.refused}`)
  return { id: remote_job.id, run_id, fence }
}

/** A remote job of a run that is over; answers with its id. */
export async function insertEndedJob(db: Db, run_id: string, workspace_id: string): Promise<string> {
  const { id, queue, spec } = jobOpening()
  await db`
    insert into remote_jobs (id, run_id, workspace_id, step_id, attempt, environment, queue, task_queue, activity, plan_hash, input_digest,
      idempotent, spec, result_schema, state, deadline, started_at, ended_at, result_digest, result)
    values (${id}, ${run_id}, ${workspace_id}, 'act', 1, 'development', ${queue}, ${spec.task_queue}, ${spec.activity}, ${HASH}, ${HASH},
      false, '{}', '{}', 'returned', now(), now(), now(), ${HASH}, '{}')`
  return id
}
