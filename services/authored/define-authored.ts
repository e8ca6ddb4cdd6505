import type { Done } from '#core/attempt.ts'
import { mustMatch } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'
import { defineVerb, type Needs } from '../define-verb.ts'
import type { ListPage } from '../list-page.ts'

/** One kind of what people author in the console, and what differs from kind to kind. */
interface AuthoredKind<Ctx, Query, Draft, Edit, Found, Change, Loosens, Shown, Left> {
  /** what creating, updating and deleting one takes */
  needs: Needs
  /** what a change takes beyond that */
  auth?(ctx: Ctx): void
  list(ctx: Ctx, query: Query): Promise<Found[]>
  /** throws `not_found` */
  find(ctx: Ctx, key: string): Promise<Found>
  record(ctx: Ctx, found: Found, loosens?: Loosens): Shown | Promise<Shown>
  /** what is to be stored; throws for everything that is wrong with it */
  lint(ctx: Ctx, draft: Draft): Change | Promise<Change>
  lintEdit(ctx: Ctx, edit: Edit, before: Found): Change | Promise<Change>
  /** what may be laxer once `after` stands in the place of `before` */
  loosened(ctx: Ctx, before: Found | undefined, after: Change | undefined): Promise<Loosens>
  /** stores it together with its audit record; throws `conflict` when somebody was faster */
  save(ctx: Ctx, before: Found | undefined, after: Change, loosens: Loosens): Promise<Found>
  remove(ctx: Ctx, before: Found, loosens: Loosens): Promise<Left>
  /** what an earlier request with the same `Idempotency-Key` made */
  made(done: Done): { key: string; loosens?: Loosens }
}

/** What a change is about, as its author read it. */
interface At {
  key: string
  if_match?: string | undefined
}

/** The verbs of a kind. Changes throw `version_conflict` for another state than the one that was read. */
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

  /** Changes what was found into what `edit` makes of it. */
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
