import type { ConsolePolicy } from '#core/policy/console-schema.ts'
import { authoredAudit, authorOf, overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import { checkPolicy } from './check-policy.ts'
import { findPolicy } from './find-policy.ts'
import type { PolicyPortsContext } from './policy-ports.ts'
import { loosensBy, toPolicyRecord } from './policy-record.ts'

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
