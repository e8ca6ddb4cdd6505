import { DomainError } from '#core/errors.ts'
import type { FileFault } from '#core/file-fault.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { DeclaredSchedules } from '#core/schedule/schema.ts'
import type { ServiceContext } from '../context.ts'
import { placeOf, type WorkspaceEntry } from '../workspaces/workspace-directory.ts'
import { checkDraft } from './check-draft.ts'

/** A declared schedule that does not fire. */
export interface ScheduleProblem extends FileFault {
  schedule?: string
}

export interface ScheduleProblemPorts extends Pick<ServiceContext, 'environments' | 'clock'> {
  packs: Pick<ServiceContext['packs'], 'findTemplate'> & { errors(): readonly { faults: readonly FileFault[] }[] }
  schedules: { declaredSchedules: DeclaredSchedules; errors(): readonly FileFault[] }
}

/** Lists the problems of declared schedules: broken files, and invalid schedules of a workspace. */
export function scheduleProblems(ports: ScheduleProblemPorts, workspace: WorkspaceEntry): ScheduleProblem[] {
  const { packs, schedules } = ports
  const ofPacks = packs.errors().flatMap(({ faults }) => faults.filter(({ file }) => file.includes('/schedules/')))
  const unsound = schedules.declaredSchedules().flatMap((each): ScheduleProblem[] => {
    if ((each.workspace_id ?? DEFAULT_WORKSPACE_ID) !== workspace.id) return []
    try {
      checkDraft({ ...ports, ...placeOf(workspace) }, each)
      return []
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      const place = each.line === undefined ? {} : { line: each.line }
      return [{ schedule: each.name, file: each.origin, ...place, message: messageOf(error) }]
    }
  })
  return [...ofPacks, ...schedules.errors(), ...unsound]
}

/** Names of fields and their types; never values, which may be secret. */
function messageOf({ message, details }: DomainError): string {
  const fields = (details.errors ?? []).map(({ pointer, msg }) => `${pointer}: ${msg}`)
  return fields.length === 0 ? message : `${message} (${fields.slice(0, 3).join('; ')})`
}
