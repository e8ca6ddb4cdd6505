import type { AuditDraft } from '#core/audit/types.ts'

/** A document of the console: its text is as its author wrote it. */
export interface AuthoredRow {
  name: string
  document: string
  author: string
  /** everyone who has written it, where that is kept */
  authors?: string[]
  updated_at: string
}

export type AuthoredDraft = Pick<AuthoredRow, 'name' | 'document' | 'author'>

/** Documents of a workspace, in the order of their names. A change takes place only on the text that it was decided on. */
export interface AuthoredStore {
  list(workspaceId: string): Promise<AuthoredRow[]>
  find(workspaceId: string, name: string): Promise<AuthoredRow | undefined>
  /** undefined when the name is taken */
  create(workspaceId: string, draft: AuthoredDraft, audit: AuditDraft): Promise<AuthoredRow | undefined>
  /** undefined when the text is no longer `before` */
  replace(
    workspaceId: string,
    draft: AuthoredDraft & { before: string },
    audit: AuditDraft,
  ): Promise<AuthoredRow | undefined>
  /** false when the text is no longer `before` */
  remove(workspaceId: string, which: { name: string; before: string }, audit: AuditDraft): Promise<boolean>
}
