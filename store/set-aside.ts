import type { SetAside } from '#core/set-aside.ts'
import type { Db } from './db.ts'

/** Work that is not handed out again because it has ended two processes. */
export function createSetAsideStore(db: Db) {
  const columns = db`kind, subject, workspace_id, reason, iso_time(created_at) as created_at`
  return {
    /** Of a workspace, the newest first. */
    async list(workspaceId: string): Promise<SetAside[]> {
      return await db<SetAside[]>`
        select ${columns} from set_aside where workspace_id = ${workspaceId}
        order by set_aside.created_at desc, kind, subject limit 50`
    },
  }
}
