import type { ConsolePolicy, DeletedPolicy } from '#core/policy/console-schema.ts'
import { authorOf } from '../authored-document.ts'
import { type AuthoredText, authoredTexts, type TextDraft } from './authored-texts.ts'
import { defineAuthored } from './define-authored.ts'
import {
  attachedIn,
  type Below,
  checkPolicy,
  loosensBy,
  type PolicyPortsContext,
  toPolicyRecord,
} from './policy-record.ts'

type Found = AuthoredText & { below: Below }

const texts = authoredTexts<PolicyPortsContext>({
  kind: 'policy',
  called: 'a policy',
  many: 'policies',
  audit: {
    created: { action: 'policy.created' },
    updated: { action: 'policy.updated' },
    deleted: { action: 'policy.deleted' },
  },
  store: (ctx) => ctx.policy_ports.store,
  owner: (ctx) => ctx.workspace_id,
  subject: (ctx, name) => `console/${ctx.workspace_id}/${name}`,
  changed: (ctx) => ctx.policy_ports.changed(ctx.workspace_id),
})

/** Policies of the caller's workspace. One counts where an environment attaches it. */
export const policies = defineAuthored({
  needs: { role: 'admin', access: 'write', scope: 'workspace' },
  async list(ctx: PolicyPortsContext) {
    const [found, below] = await Promise.all([texts.list(ctx), ctx.policy_ports.layers()])
    return found.map((each): Found => ({ ...each, below }))
  },

  async find(ctx, name: string): Promise<Found> {
    return { ...(await texts.find(ctx, name)), below: await ctx.policy_ports.layers() }
  },

  async record(ctx, { row, below }, loosens?: boolean): Promise<ConsolePolicy> {
    return { ...(await toPolicyRecord(ctx, row, below)), ...(loosens !== undefined && { loosens }) }
  },

  async lint(ctx, document: string): Promise<TextDraft> {
    return { name: (await checkPolicy(ctx, { document })).name, document }
  },

  async lintEdit(ctx, document: string, { row: { name } }) {
    await checkPolicy(ctx, { document, name })
    return { name, document }
  },

  async loosened(ctx, before, after) {
    const [rows, below] = await Promise.all([
      ctx.policy_ports.store.list(ctx.workspace_id),
      before?.below ?? ctx.policy_ports.layers(),
    ])
    const name = after?.name ?? before?.row.name ?? ''
    return await loosensBy(ctx, { name, rows, below, after: after && { ...after, author: authorOf(ctx) } })
  },

  async save(ctx, before, after, loosens): Promise<Found> {
    const below = before?.below ?? (await ctx.policy_ports.layers())
    return { ...(await texts.save(ctx, before, after, loosens)), below }
  },

  async remove(ctx, { row }, loosens): Promise<DeletedPolicy> {
    await texts.remove(ctx, row, loosens)
    return { name: row.name, attached_in: attachedIn(ctx, row.name), loosens }
  },

  made: ({ data }) => ({ key: String(data['name']), loosens: data['loosens'] === true }),
})
