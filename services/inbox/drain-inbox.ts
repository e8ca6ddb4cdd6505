import { DomainError, isOutage } from '#core/errors.ts'
import { PROCESSES_ENDED } from '#core/set-aside.ts'
import type { ClaimedRow } from '#store/alerts/inbox.ts'
import type { Caller } from '../context.ts'
import type { IntakeContext } from '../service-deps.ts'
import { placeOf, type WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import { writeWithRetry } from '../write-with-retry.ts'
import { fromInboxRow } from './delivery-body.ts'
import { findInboxRoute, type Inbox } from './inbox-route.ts'
import { setAsideDelivery, settleDelivery } from './settle-delivery.ts'

export interface DrainDeps {
  services: Omit<IntakeContext, keyof Caller>
  workspaces: WorkspaceDirectory
  inbox: Inbox
  /** called before each delivery */
  may_go_on(): boolean
}

/** Processes what waits in the inbox, in the order of receipt, one after the other; answers with how many there were. */
export async function drainInbox(deps: DrainDeps): Promise<number> {
  for (let drained = 0; ; drained += 1) {
    const row = deps.may_go_on() ? await deps.inbox.items.next() : undefined
    if (row === undefined || !(await workOff(deps, row))) return drained
  }
}

/** False when the delivery has to wait further, and all behind it. */
async function workOff({ services, workspaces, inbox }: DrainDeps, row: ClaimedRow): Promise<boolean> {
  const note = (end: string, write: () => Promise<void>) =>
    writeWithRetry({ write, lost: `that the delivery ${row.id} ${end}`, log: inbox.log })
  try {
    if (row.processes_ended >= PROCESSES_ENDED) {
      await setAsideDelivery(services, inbox, row)
      return true
    }
    const route = findInboxRoute(inbox, row.route)
    if (route === undefined) throw new DomainError('not_found', `nothing takes deliveries of ${row.route}`)
    const ctx = { ...services, ...(await enter(workspaces, row)), inbox }
    const delivery = await fromInboxRow(inbox, row, false)
    return (await settleDelivery(ctx, route, { ...delivery, claim: row.claim })) !== undefined
  } catch (thrown) {
    const { code, message } = inbox.toDomainError(thrown)
    if (isOutage(code)) {
      await note('waits again', () => inbox.items.defer(row, { code, message }))
      throw thrown
    }
    await note('has failed', () => inbox.items.settle(row, { status: 'failed', error: { code, message } }))
    return true
  }
}

/** Restores the request of the delivery's arrival. */
async function enter(workspaces: WorkspaceDirectory, row: ClaimedRow): Promise<Caller> {
  const workspace = await workspaces.find(row.workspace_id)
  if (workspace === undefined) throw new DomainError('not_found', 'the workspace was deleted')
  if (workspace.status === 'archived') throw new DomainError('workspace_archived', 'The workspace is archived.')
  return {
    actor: row.actor,
    workspace_id: workspace.id,
    ...placeOf(workspace),
    channel: row.channel,
    request_id: row.id,
  }
}
