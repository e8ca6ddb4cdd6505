import type { ScheduleDraft } from './schema.ts'

/** A schedule that a pack, a skill or a file declares. Absent workspace: the default one. */
export interface DeclaredSchedule extends ScheduleDraft {
  source: 'pack' | 'skill' | 'overlay'
  workspace_id?: string | undefined
  dry_run?: boolean
  /** as people find it, for messages */
  origin: string
}

/** What is declared now; several sources are concatenated. */
export type DeclaredSchedules = () => readonly DeclaredSchedule[]
