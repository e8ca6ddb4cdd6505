import { actionWorkflowId } from '#core/action-contract.ts'
import { DomainError } from '#core/errors.ts'
import type { Ids } from '#core/id.ts'
import type { MagicLinks } from '#store/magic-links.ts'
import type { LinkSigner } from './link-port.ts'

export interface LinkOrder {
  /** the notice that carries the link, to the recipient that the record names */
  notice_id: number
  gate_id: string
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
  return async ({ notice_id, gate_id, plan_hash, recipient, expires_at }) => {
    const jti = await deps.links.issue({ jti: deps.ids.next('link'), notice_id, expires_at })
    if (jti === undefined) throw new DomainError('not_found', 'there is no such notice')
    const exp = Math.floor(Date.parse(expires_at) / 1_000)
    const token = await deps.signer.mint({ jti, gate_id, plan_hash, recipient, exp })
    const url = `${deps.public_url}/triggers/approve/${actionWorkflowId(gate_id)}?token=${token}`
    return { url, code: deps.signer.code(jti) }
  }
}
