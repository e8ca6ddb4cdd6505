import type { Db } from '../db.ts'

/** An object without an artifact. */
export interface ArtifactRemoval {
  object_connection: string
  object_key: string
  workspace_id: string
  environment: string
}

type Named = Pick<ArtifactRemoval, 'object_connection' | 'object_key'>

/** Objects to delete in their buckets, of all workspaces. */
export function createArtifactRemovals(db: Db) {
  return {
    async due(limit: number): Promise<ArtifactRemoval[]> {
      return db<ArtifactRemoval[]>`
        select object_connection, object_key, workspace_id, environment from artifact_removals
        where due_at <= now() order by due_at limit ${limit}`
    },

    async done({ object_connection, object_key }: Named): Promise<void> {
      await db`
        delete from artifact_removals where object_connection = ${object_connection} and object_key = ${object_key}`
    },

    /** Tries again later: after a minute, then twice as long each time, at most a day. */
    async postpone({ object_connection, object_key }: Named): Promise<void> {
      await db`
        update artifact_removals set attempts = attempts + 1,
          due_at = now() + least(interval '1 day', interval '1 minute' * power(2, least(attempts, 20)))
        where object_connection = ${object_connection} and object_key = ${object_key}`
    },
  }
}

export type ArtifactRemovals = ReturnType<typeof createArtifactRemovals>
