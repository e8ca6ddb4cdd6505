import type { NoticeDeps } from '#activities/notify/deps.ts'
import type { Db } from '#store/db.ts'
import { createHaltRefusals } from '#store/halt-refusals.ts'
import { createHaltStore } from '#store/halts.ts'
import { createConnectionNotices } from '#store/notices/connection-notices.ts'
import { createHaltNotices } from '#store/notices/halt-notices.ts'
import { createNoticeDigests } from '#store/notices/notice-digests.ts'
import { createUserStore } from '#store/users.ts'

/** What telling people about halts needs, without any environment. */
export function haltNoticeDeps(
  db: Db,
): Pick<
  NoticeDeps,
  'halts' | 'digests' | 'connection_notices' | 'halt_notices' | 'halt_refusals' | 'users' | 'environments'
> {
  return {
    halts: createHaltStore(db),
    digests: createNoticeDigests(db),
    connection_notices: createConnectionNotices(db),
    halt_notices: createHaltNotices(db),
    halt_refusals: createHaltRefusals(db),
    users: createUserStore(db),
    environments: () => [],
  }
}
