import { DomainError } from '#core/errors.ts'
import type { Contributor } from '#core/gate/contributors.ts'
import { runIdOfDelivery } from '#core/inbox/item.ts'
import { invalid } from '../auth/user-rules.ts'
import type { HaltPorts, ServiceContext } from '../context.ts'

/**
 * Returns what the start of a refused one adds: the id of its run follows from that of the refusal, so that it starts once, and everyone who
 * shaped it shapes the run. Throws `validation_failed` where no halt has refused that here, and `halted` while its requester is halted.
 */
export async function startOfRefusal(
  { halt_refusals, workspace_id }: Pick<HaltPorts, 'halt_refusals'> & Pick<ServiceContext, 'workspace_id'>,
  refusal: string | undefined,
  { pack, template }: { pack: string; template: string },
): Promise<{ run_id?: string; shaped_by?: Contributor[] }> {
  if (refusal === undefined) return {}
  const found = await halt_refusals.find(workspace_id, refusal)
  if (found?.pack !== pack || found.template !== template)
    throw invalid('/refusal', `no halt has refused ${refusal} of ${pack}/${template} in this workspace`)
  const { halt_id, reason, is_held } = found
  if (is_held)
    throw new DomainError('halted', `the halt that refused it is in force: ${reason} (${halt_id})`, { halt_id, reason })
  return { run_id: runIdOfDelivery(refusal), shaped_by: found.contributors }
}
