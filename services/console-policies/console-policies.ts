import { DomainError } from '#core/errors.ts'
import type { ConsolePolicy, DeletedPolicy } from '#core/policy/console-schema.ts'
import type { AuthoredRow } from '#store/authored.ts'
import { authoredAudit, authorOf, digestOf, mustMatch, overtaken } from '../authored-document.ts'
import type { ListPage } from '../list-page.ts'
import { checkPolicy } from './check-policy.ts'
import type { PolicyPortsContext } from './policy-ports.ts'
import { attachedIn, loosensBy, toPolicyRecord } from './policy-record.ts'

/** As many policies as the console of a workspace holds. */
const MOST_POLICIES = 200

/** Stores a policy of the caller's workspace. It counts where an environment attaches it. Throws `conflict` for a name that is taken. */
export async function createConsolePolicy(ctx: PolicyPortsContext, document: string): Promise<ConsolePolicy> {
  const { store, layers, changed } = ctx.policy_ports
  const { done } = ctx.attempt ?? {}
  if (done !== undefined)
    return { ...(await getConsolePolicy(ctx, String(done.data['name']))), loosens: done.data['loosens'] === true }
  const { name } = await checkPolicy(ctx, { document })
  const [rows, below] = await Promise.all([store.list(ctx.workspace_id), layers()])
  if (rows.length >= MOST_POLICIES)
    throw new DomainError('conflict', `The limit of ${MOST_POLICIES} policies is reached.`)
  const draft = { name, document, author: authorOf(ctx) }
  const loosens = await loosensBy(ctx, { name, rows, after: draft, below })
  const audit = authoredAudit(ctx, {
    action: 'policy.created',
    subject: { type: 'policy', id: `console/${ctx.workspace_id}/${name}` },
    after: document,
    data: { name, author: draft.author, loosens },
  })
  const row = await store.create(ctx.workspace_id, draft, audit)
  if (row === undefined) throw new DomainError('conflict', `There is a policy ${name} already.`)
  changed(ctx.workspace_id)
  return { ...(await toPolicyRecord(ctx, row, below)), loosens }
}

/** All policies that the console of the caller's workspace holds, in the order of their names. */
export async function listConsolePolicies(ctx: PolicyPortsContext): Promise<ListPage<ConsolePolicy>> {
  const { store, layers } = ctx.policy_ports
  const [rows, below] = await Promise.all([store.list(ctx.workspace_id), layers()])
  const items = await Promise.all(rows.map((row) => toPolicyRecord(ctx, row, below)))
  return { items, total: { count: items.length, capped: false } }
}

/** One policy of the console, with what is wrong with it by now. */
export async function getConsolePolicy(ctx: PolicyPortsContext, name: string): Promise<ConsolePolicy> {
  const { row } = await findPolicy(ctx, name)
  return await toPolicyRecord(ctx, row, await ctx.policy_ports.layers())
}

/** Puts another text in the place of a policy's. Throws `version_conflict`, or `conflict` when somebody was faster. */
export async function updateConsolePolicy(
  ctx: PolicyPortsContext,
  { name, if_match, document }: { name: string; if_match?: string | undefined; document: string },
): Promise<ConsolePolicy> {
  const { store, layers, changed } = ctx.policy_ports
  const { row: current, etag } = await findPolicy(ctx, name)
  mustMatch(if_match, etag)
  await checkPolicy(ctx, { document, name })
  const [rows, below] = await Promise.all([store.list(ctx.workspace_id), layers()])
  const draft = { name, document, author: authorOf(ctx) }
  const loosens = await loosensBy(ctx, { name, rows, after: draft, below })
  const audit = authoredAudit(ctx, {
    action: 'policy.updated',
    subject: { type: 'policy', id: `console/${ctx.workspace_id}/${name}` },
    before: current.document,
    after: document,
    data: { name, author: draft.author, loosens },
  })
  const row = await store.replace(ctx.workspace_id, { ...draft, before: current.document }, audit)
  if (row === undefined) throw overtaken()
  changed(ctx.workspace_id)
  return { ...(await toPolicyRecord(ctx, row, below)), loosens }
}

/** Deletes a policy. Where an environment attaches it still, the gate is on until it does not. */
export async function deleteConsolePolicy(
  ctx: PolicyPortsContext,
  { name, if_match }: { name: string; if_match?: string | undefined },
): Promise<DeletedPolicy> {
  const { store, layers, changed } = ctx.policy_ports
  const { row, etag } = await findPolicy(ctx, name)
  mustMatch(if_match, etag)
  const [rows, below] = await Promise.all([store.list(ctx.workspace_id), layers()])
  const loosens = await loosensBy(ctx, { name, rows, after: undefined, below })
  const audit = authoredAudit(ctx, {
    action: 'policy.deleted',
    subject: { type: 'policy', id: `console/${ctx.workspace_id}/${name}` },
    before: row.document,
    data: { name, author: row.author, loosens },
  })
  if (!(await store.remove(ctx.workspace_id, { name, before: row.document }, audit))) throw overtaken()
  changed(ctx.workspace_id)
  return { name, attached_in: attachedIn(ctx, name), loosens }
}

/** A policy of the caller's workspace as it is stored. */
async function findPolicy(ctx: PolicyPortsContext, name: string): Promise<{ row: AuthoredRow; etag: string }> {
  const row = await ctx.policy_ports.store.find(ctx.workspace_id, name)
  if (row === undefined) throw new DomainError('not_found', 'there is no such policy')
  return { row, etag: `"${digestOf(ctx, row.document)}"` }
}
