import { actionWorkflowId } from '#core/action-contract.ts'
import type { Ids } from '#core/id.ts'
import type { MagicLinks } from '#store/magic-links.ts'
import type { LinkSigner } from './link-port.ts'

export interface LinkOrder {
  gate_id: string
  workspace_id: string
  plan_hash: string
  recipient: string
  expires_at: string
}

export type LinkIssuer = (order: LinkOrder) => Promise<{ url: string; code: string }>

/** Issues magic links: one per gate and recipient, so that a reminder carries the link of the first message. */
export function createLinkIssuer(deps: {
  links: Pick<MagicLinks, 'issue'>
  signer: LinkSigner
  ids: Ids
  public_url: string
}): LinkIssuer {
  return async ({ gate_id, workspace_id, plan_hash, recipient, expires_at }) => {
    const jti = await deps.links.issue({ jti: deps.ids.next('link'), gate_id, workspace_id, recipient, expires_at })
    const exp = Math.floor(Date.parse(expires_at) / 1_000)
    const token = await deps.signer.mint({ jti, gate_id, plan_hash, recipient, exp })
    const url = `${deps.public_url}/triggers/approve/${actionWorkflowId(gate_id)}?token=${token}`
    return { url, code: deps.signer.code(jti) }
  }
}
