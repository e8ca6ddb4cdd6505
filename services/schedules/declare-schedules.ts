import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Log } from '#core/log.ts'
import type { DeclaredSchedule, DeclaredSchedules, UnreadSources } from '#core/schedule/schema.ts'
import type { ScheduleStore } from '#store/schedules/schedules.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { placeOf, type WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import { checkDraft } from './check-draft.ts'
import { passedAtEnd } from './record-passed.ts'

export interface DeclareDeps extends Pick<ServiceDeps, 'packs' | 'environments' | 'clock' | 'ids' | 'sha256'> {
  store: ScheduleStore
  workspaces: Pick<WorkspaceDirectory, 'find'>
  declared: DeclaredSchedules
  unread: UnreadSources
  log: Pick<Log, 'warn'>
}

/** Turns the declarations of packs, skills and files into rows; a broken or unreadable one keeps its last good row. */
export async function declareSchedules({ store, workspaces, ...given }: DeclareDeps): Promise<void> {
  const { declared, unread, log, ...deps } = given
  const kept: string[] = []
  for (const each of declared()) {
    const workspace_id = each.workspace_id ?? DEFAULT_WORKSPACE_ID
    kept.push(`${workspace_id}|${each.source}|${each.name}`)
    try {
      const { inputs } = checkDraft({ ...deps, ...placeOf(await workspaces.find(workspace_id)) }, each)
      const row = { ...rowOf(each), id: deps.ids.next('schedule'), workspace_id, inputs }
      const before = await store.toBeChanged(row)
      if (before !== undefined) await store.recordPassed(before, passedAtEnd(before, deps.clock(), 'changed'))
      await store.declare(row)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      log.warn({ schedule: each.name, origin: each.origin, problem: error.message }, 'a declared schedule is not sound')
    }
  }
  const removed = await store.undeclared(kept, unread())
  for (const row of removed) await store.recordPassed(row, passedAtEnd(row, deps.clock(), 'deleted'))
  if (removed.length > 0) await store.withdraw(removed.map(({ id }) => id))
}

function rowOf({ origin: _origin, line: _line, workspace_id: _workspace, ...columns }: DeclaredSchedule) {
  return {
    ...columns,
    dry_run: columns.dry_run ?? false,
    days: columns.days ?? null,
    profile: columns.profile ?? null,
    environment: columns.environment ?? null,
    config_preset: columns.config_preset ?? null,
    preset_version: columns.preset_version ?? null,
    created_by: null,
    made_through: null,
  }
}
