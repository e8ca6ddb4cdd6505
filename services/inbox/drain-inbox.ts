import { DomainError } from '#core/errors.ts'
import type { InboxRow } from '#store/inbox.ts'
import type { Caller, IntakeContext } from '../context.ts'
import { placeOf } from '../workspaces/place-of.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import { fromInboxRow } from './delivery-body.ts'
import { findInboxRoute } from './find-inbox-route.ts'
import type { Inbox } from './inbox-route.ts'
import { settleDelivery } from './settle-delivery.ts'

export interface DrainDeps {
  services: Omit<IntakeContext, keyof Caller>
  workspaces: WorkspaceDirectory
  inbox: Inbox
  /** asked before each delivery */
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
async function workOff({ services, workspaces, inbox }: DrainDeps, row: InboxRow): Promise<boolean> {
  try {
    const route = findInboxRoute(inbox, row.route)
    if (route === undefined) throw new DomainError('not_found', `nothing takes deliveries of ${row.route}`)
    const ctx = { ...services, ...(await enter(workspaces, row)), inbox }
    return (await settleDelivery(ctx, route, await fromInboxRow(inbox, row, false))) !== undefined
  } catch (thrown) {
    const { code, message } = inbox.toDomainError(thrown)
    if (code === 'dependency_unavailable') throw thrown
    await inbox.items.settle(row.id, { status: 'failed', error: { code, message } })
    return true
  }
}

/** The request as it was when the delivery arrived. */
async function enter(workspaces: WorkspaceDirectory, row: InboxRow): Promise<Caller> {
  const workspace = await workspaces.find(row.workspace_id)
  if (workspace === undefined) throw new DomainError('not_found', 'the workspace is gone')
  if (workspace.status === 'archived') throw new DomainError('workspace_archived', 'The workspace is archived.')
  return {
    actor: row.actor,
    workspace_id: workspace.id,
    ...placeOf(workspace),
    channel: row.channel,
    request_id: row.id,
  }
}
