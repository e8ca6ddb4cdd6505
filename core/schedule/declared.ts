import type { ScheduleDraft } from './schema.ts'

/** A schedule that a pack, a skill or a file declares. Absent workspace: the default one. */
export interface DeclaredSchedule extends ScheduleDraft {
  source: 'pack' | 'skill' | 'overlay'
  workspace_id?: string | undefined
  dry_run?: boolean
  /** the file as people find it, for messages, and where in it */
  origin: string
  line?: number | undefined
}

/** Where something broken may have declared schedules that are not known now. */
export type UnreadSources = () => readonly DeclaredSchedule['source'][]

/** What is declared now; several sources are concatenated. */
export type DeclaredSchedules = () => readonly DeclaredSchedule[]
