import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import type { AuthoredDraft, AuthoredRow, AuthoredStore } from '#store/authored/authored.ts'
import { authoredAudit, authorOf, digestOf, limitReached, overtaken } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'

/** As many texts of a kind as there may be. */
const MAX_TEXTS = 200

/** Texts of one kind. */
interface TextKind<Ctx> {
  kind: 'policy' | 'rule' | 'environment' | 'profile'
  /** with its article */
  called: string
  many: string
  store(ctx: Ctx): AuthoredStore
  /** the workspace that they belong to, or `EVERYWHERE` */
  owner(ctx: Ctx): string
  subject(ctx: Ctx, name: string): string
  audit: Record<'created' | 'updated' | 'deleted', { action: string }>
  /** called after a write, so that this process follows it */
  changed(ctx: Ctx): void | Promise<void>
}

export type TextDraft = Pick<AuthoredDraft, 'name' | 'document'>

/** A stored text. */
export interface AuthoredText {
  row: AuthoredRow
  etag: string
}

/** The reads and writes of a kind's table. */
export function authoredTexts<Ctx extends ServiceContext>(of: TextKind<Ctx>) {
  const asFound = (ctx: Ctx, row: AuthoredRow): AuthoredText => ({ row, etag: `"${digestOf(ctx, row.document)}"` })

  async function make(ctx: Ctx, draft: AuthoredDraft, audit: AuditDraft) {
    const store = of.store(ctx)
    if ((await store.list(of.owner(ctx))).length >= MAX_TEXTS) throw limitReached(MAX_TEXTS, of.many)
    return await store.create(of.owner(ctx), draft, audit)
  }

  return {
    list: async (ctx: Ctx) => (await of.store(ctx).list(of.owner(ctx))).map((row) => asFound(ctx, row)),

    async find(ctx: Ctx, name: string): Promise<AuthoredText> {
      const row = await of.store(ctx).find(of.owner(ctx), name)
      if (row === undefined) throw new DomainError('not_found', `there is no such ${of.kind}`)
      return asFound(ctx, row)
    },

    /** `before` without a row: only files have it so far. */
    async save(
      ctx: Ctx,
      before: { row: AuthoredRow | undefined } | undefined,
      { name, document }: TextDraft,
      loosens?: boolean | string[],
    ): Promise<AuthoredText> {
      const author = authorOf(ctx)
      const old = before?.row?.document
      const audit = authoredAudit(ctx, {
        ...(before === undefined ? of.audit.created : of.audit.updated),
        subject: { type: of.kind, id: of.subject(ctx, name) },
        before: old,
        after: document,
        data: { name, author, ...(loosens !== undefined && { loosens }) },
      })
      const draft = { name, document, author }
      const row =
        old === undefined
          ? await make(ctx, draft, audit)
          : await of.store(ctx).replace(of.owner(ctx), { ...draft, before: old }, audit)
      if (row === undefined)
        throw before === undefined ? new DomainError('conflict', `There is ${of.called} ${name} already.`) : overtaken()
      await of.changed(ctx)
      return asFound(ctx, row)
    },

    async remove(ctx: Ctx, { name, document, author }: AuthoredRow, loosens?: boolean | string[]): Promise<void> {
      const audit = authoredAudit(ctx, {
        ...of.audit.deleted,
        subject: { type: of.kind, id: of.subject(ctx, name) },
        before: document,
        data: { name, author, ...(loosens !== undefined && { loosens }) },
      })
      if (!(await of.store(ctx).remove(of.owner(ctx), { name, before: document }, audit))) throw overtaken()
      await of.changed(ctx)
    },
  }
}
