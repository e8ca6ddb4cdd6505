import type { Done } from '#core/attempt.ts'
import { mustMatch } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'
import { defineVerb, type Needs } from '../define-verb.ts'
import type { ListPage } from '../list-page.ts'

/** The differences between kinds of console documents. */
interface AuthoredKind<Ctx, Query, Draft, Edit, Found, Change, Loosens, Shown, Left> {
  /** requirement for creating, updating and deleting one */
  needs: Needs
  /** further requirement for a change */
  auth?(ctx: Ctx): void
  list(ctx: Ctx, query: Query): Promise<Found[]>
  /** throws `not_found` */
  find(ctx: Ctx, key: string): Promise<Found>
  record(ctx: Ctx, found: Found, loosens?: Loosens): Shown | Promise<Shown>
  /** the checked document; throws for every fault */
  lint(ctx: Ctx, draft: Draft): Change | Promise<Change>
  lintEdit(ctx: Ctx, edit: Edit, before: Found): Change | Promise<Change>
  /** loosenings if `after` replaces `before` */
  loosened(ctx: Ctx, before: Found | undefined, after: Change | undefined): Promise<Loosens>
  /** stores it together with its audit record; throws `conflict` when another change won */
  save(ctx: Ctx, before: Found | undefined, after: Change, loosens: Loosens): Promise<Found>
  remove(ctx: Ctx, before: Found, loosens: Loosens): Promise<Left>
  /** the document that an earlier request with the same `Idempotency-Key` made */
  made(done: Done): { key: string; loosens?: Loosens }
}

/** The version that an author changes. */
interface At {
  key: string
  if_match?: string | undefined
}

/** Makes the verbs of a kind. Changes throw `version_conflict` if the document has another version than the caller's. */
export function defineAuthored<
  Ctx extends ServiceContext,
  Query,
  Draft,
  Edit,
  Found extends { etag: string },
  Change,
  Loosens,
  Shown,
  Left,
>(kind: AuthoredKind<Ctx, Query, Draft, Edit, Found, Change, Loosens, Shown, Left>) {
  async function save(ctx: Ctx, before: Found | undefined, after: Change): Promise<Shown> {
    const loosens = await kind.loosened(ctx, before, after)
    return await kind.record(ctx, await kind.save(ctx, before, after, loosens), loosens)
  }

  /** Applies `edit` to the stored document. */
  const change = defineVerb(
    kind.needs,
    async (ctx: Ctx, { key, if_match }: At, edit: (before: Found) => Edit): Promise<Shown> => {
      kind.auth?.(ctx)
      const before = await kind.find(ctx, key)
      if (ctx.attempt?.done !== undefined) return await kind.record(ctx, before)
      mustMatch(if_match, before.etag)
      return await save(ctx, before, await kind.lintEdit(ctx, edit(before), before))
    },
  )

  return {
    change,

    async list(ctx: Ctx, query: Query): Promise<ListPage<Shown>> {
      const found = await kind.list(ctx, query)
      const items = await Promise.all(found.map((each) => kind.record(ctx, each)))
      return { items, total: { count: items.length, capped: false } }
    },

    async get(ctx: Ctx, key: string): Promise<Shown> {
      return await kind.record(ctx, await kind.find(ctx, key))
    },

    create: defineVerb(kind.needs, async (ctx: Ctx, draft: Draft): Promise<Shown> => {
      kind.auth?.(ctx)
      const { done } = ctx.attempt ?? {}
      if (done === undefined) return await save(ctx, undefined, await kind.lint(ctx, draft))
      const { key, loosens } = kind.made(done)
      return await kind.record(ctx, await kind.find(ctx, key), loosens)
    }),

    update: defineVerb(
      kind.needs,
      async (ctx: Ctx, { edit, ...at }: At & { edit: Edit }): Promise<Shown> => await change(ctx, at, () => edit),
    ),

    delete: defineVerb(kind.needs, async (ctx: Ctx, { key, if_match }: At): Promise<Left> => {
      kind.auth?.(ctx)
      const before = await kind.find(ctx, key)
      mustMatch(if_match, before.etag)
      return await kind.remove(ctx, before, await kind.loosened(ctx, before, undefined))
    }),
  }
}
