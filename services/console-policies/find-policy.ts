import { DomainError } from '#core/errors.ts'
import type { AuthoredRow } from '#store/authored.ts'
import { digestOf } from '../authored-document.ts'
import type { PolicyPortsContext } from './policy-ports.ts'

/** A policy of the caller's workspace as it is stored. */
export async function findPolicy(ctx: PolicyPortsContext, name: string): Promise<{ row: AuthoredRow; etag: string }> {
  const row = await ctx.policy_ports.store.find(ctx.workspace_id, name)
  if (row === undefined) throw new DomainError('not_found', 'there is no such policy')
  return { row, etag: `"${digestOf(ctx, row.document)}"` }
}
