import type { JsonObject } from '#core/json/json.ts'
import type { AskRead } from './read.ts'

export interface AskPipelineRow {
  pipeline_id: string
  name: string
  status: string
  environment: string
  reason: string | null
  error: JsonObject | null
  created_at: string
  started_at: string | null
  ended_at: string | null
}

/** Pipelines, newest first. */
export async function listAskPipelines(
  { workspace_id, in: read }: AskRead,
  {
    status,
    name,
    pipeline_id,
  }: { status?: string | undefined; name?: string | undefined; pipeline_id?: string | undefined },
  limit: number,
): Promise<AskPipelineRow[]> {
  return await read(
    (db) => db<AskPipelineRow[]>`
    select p.id as pipeline_id, p.name, p.status, p.environment, p.reason, p.error, p.created_at, p.started_at, p.ended_at
    from pipelines p where p.workspace_id = ${workspace_id}
      ${status === undefined ? db`` : db`and p.status = ${status}`} ${name === undefined ? db`` : db`and p.name = ${name}`}
      ${pipeline_id === undefined ? db`` : db`and p.id = ${pipeline_id}`}
    order by p.created_at desc, p.id desc limit ${limit}`,
  )
}

export interface AskPipelineStep {
  step: string
  state: string
  reason: string | null
  topic: string | null
  fire_at: string | null
  started_at: string | null
  ended_at: string | null
  error: JsonObject | null
}

export async function listAskPipelineSteps(
  { workspace_id, in: read }: AskRead,
  pipelineId: string,
): Promise<AskPipelineStep[]> {
  return await read(
    (db) => db<AskPipelineStep[]>`
    select s.step_id as step, s.state, s.reason, s.topic, s.fire_at, s.started_at, s.ended_at, s.error
    from pipelines p join pipeline_steps s on s.pipeline_id = p.id
    where p.workspace_id = ${workspace_id} and p.id = ${pipelineId} order by s.ordinal limit 100`,
  )
}
