import type { AskRead } from './read.ts'

export interface AskHaltRow {
  halt_id: string
  everywhere: boolean
  environment: string | null
  template: string | null
  requester: string | null
  reason: string
  created_at: string
}

/**
 * Halts that are in force over the workspace, and those that name none: some of them are of environments that it may not use. One of all
 * workspaces names its requester only where it holds a run.
 */
export async function listAskHalts({ workspace_id, in: read }: AskRead, limit: number): Promise<AskHaltRow[]> {
  return await read(
    (db) => db<AskHaltRow[]>`
    select h.id as halt_id, h.workspace_id is null as everywhere, h.environment, h.template, h.requester, h.reason, h.created_at from halts h
    where h.lifted_at is null and (h.workspace_id is null or h.workspace_id = ${workspace_id})
      and (h.workspace_id is not null or h.requester is null or h.requester like 'skill:%' or exists (
        select from runs r where r.ended_at is null and h.requester = any (requesters_of(r.provenance)))) order by h.created_at limit ${limit}`,
  )
}
