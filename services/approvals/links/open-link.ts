import { DomainError } from '#core/errors.ts'
import { gateNoticesWorkflowId } from '#core/notify/contract.ts'
import type { MagicLink } from '#store/gates/magic-links.ts'
import type { ServiceContext } from '../../context.ts'
import type { LinkPorts, OpenedLink } from './link-context.ts'
import { type LinkRefusal, recordRefusal } from './refuse-link.ts'

/**
 * Opens a magic link by its signature. Any fault gets the answer of a link that does not exist; for links that we did sign, the record has
 * the reason. Throws `not_found`.
 */
export async function openLink(
  ctx: Pick<ServiceContext, 'runs' | 'ids' | 'clock' | 'environments'> & LinkPorts,
  given: { workflow_id: string; token: string },
): Promise<OpenedLink> {
  const read = await ctx.signer.read(given.token)
  if (read.kind === 'forged') throw unknownLink()
  const { claims } = read
  const link = await ctx.links.find(claims.jti)
  if (link === undefined || link.gate_id !== claims.gate_id || link.recipient !== claims.recipient) throw unknownLink()
  const refused = whyRefused({ link, isExpired: read.kind === 'expired', workflow_id: given.workflow_id })
  if (refused !== undefined) {
    const { workspace_id, gate_id, jti, recipient } = link
    await recordRefusal(ctx, { ...refused, workspace_id, gate_id, jti, recipient })
    throw unknownLink()
  }
  const gate = await ctx.gates.find(link.gate_id)
  if (gate === undefined) throw unknownLink()
  if (ctx.environments.get(gate.environment)?.approval.links === false) {
    const { workspace_id, gate_id, jti, recipient } = link
    const why = 'its environment no longer allows links'
    await recordRefusal(ctx, {
      code: 'link_forbidden',
      why,
      workspace_id,
      gate_id,
      jti,
      recipient,
      run_id: gate.run_id,
    })
    throw unknownLink()
  }
  return { claims, link, gate }
}

/** Reads the current state of the link. */
export async function reopenLink(ports: LinkPorts, opened: OpenedLink): Promise<OpenedLink> {
  const [link = opened.link, gate = opened.gate] = await Promise.all([
    ports.links.find(opened.link.jti),
    ports.gates.find(opened.link.gate_id),
  ])
  return { ...opened, link, gate }
}

function whyRefused({
  link,
  isExpired,
  workflow_id,
}: {
  link: MagicLink
  isExpired: boolean
  workflow_id: string
}): { code: LinkRefusal; why: string } | undefined {
  if (gateNoticesWorkflowId(link.gate_id) !== workflow_id)
    return { code: 'link_foreign', why: 'the link belongs to another gate' }
  if (isExpired) return { code: 'link_expired', why: 'the link has expired' }
  if (!link.is_sent) return { code: 'link_not_sent', why: 'no recorded notice contains the link for its recipient' }
  return undefined
}

function unknownLink(): DomainError {
  return new DomainError('not_found', 'there is no such link')
}
