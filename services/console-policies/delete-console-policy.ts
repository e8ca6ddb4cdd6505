import type { DeletedPolicy } from '#core/policy/console-schema.ts'
import { authoredAudit, overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import { findPolicy } from './find-policy.ts'
import type { PolicyPortsContext } from './policy-ports.ts'
import { attachedIn, loosensBy } from './policy-record.ts'

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
