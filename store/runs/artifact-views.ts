import type { Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

export interface ArtifactRow {
  id: string
  run_id: string
  step: string
  name: string
  media_type: string
  size_bytes: number
  digest: string
  created_at: string
}

/** Where the content is: here, or in a bucket. */
export interface ArtifactPlace extends ArtifactRow {
  body: Uint8Array | null
  object_connection: string | null
  object_key: string | null
  environment: string
}

/** Reads of what runs left behind. Every read names the workspace: a foreign run has no artifacts. */
export function createArtifactViews(tenants: TenantDb) {
  const columns = (db: Db) =>
    db`a.id, a.run_id, a.step_id as step, a.name, a.media_type, a.size_bytes, a.digest, a.created_at`
  const places = (db: Db) => db`
    select ${columns(db)}, b.body, a.object_connection, a.object_key, r.environment
    from artifacts a join runs r on r.id = a.run_id left join artifact_bodies b on b.digest = a.body_digest`
  return {
    async list(workspaceId: string, runId: string): Promise<ArtifactRow[]> {
      return tenants.in(
        workspaceId,
        (db) => db<ArtifactRow[]>`
        select ${columns(db)} from artifacts a where a.run_id = ${runId} and a.workspace_id = ${workspaceId}
        order by a.created_at, a.id`,
      )
    },

    async findPlace(workspaceId: string, runId: string, name: string): Promise<ArtifactPlace | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<ArtifactPlace[]>`
        ${places(db)}
        where a.run_id = ${runId} and a.workspace_id = ${workspaceId} and a.name = ${name}`,
      )
      return row
    },

    /** The newest Markdown document of the run, a report by name before any other. */
    async findReport(workspaceId: string, runId: string): Promise<ArtifactPlace | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<ArtifactPlace[]>`
        ${places(db)}
        where a.run_id = ${runId} and a.workspace_id = ${workspaceId} and a.media_type like 'text/markdown%'
        order by (a.name = 'report.md') desc, a.created_at desc, a.id desc limit 1`,
      )
      return row
    },
  }
}

export type ArtifactViews = ReturnType<typeof createArtifactViews>
