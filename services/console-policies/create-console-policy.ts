import { DomainError } from '#core/errors.ts'
import type { ConsolePolicy } from '#core/policy/console-schema.ts'
import { authoredAudit, authorOf } from '../authored-document.ts'
import { checkPolicy } from './check-policy.ts'
import { getConsolePolicy } from './get-console-policy.ts'
import type { PolicyPortsContext } from './policy-ports.ts'
import { loosensBy, toPolicyRecord } from './policy-record.ts'

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
