import { DomainError } from '#core/errors.ts'
import type { Ids } from '#core/id.ts'
import { gateNoticesWorkflowId } from '#core/notify/contract.ts'
import type { MagicLinks } from '#store/gates/magic-links.ts'

export interface LinkOrder {
  /** the notice with the link, to the recipient in the record */
  notice_id: number
  gate_id: string
  plan_hash: string
  recipient: string
  expires_at: string
}

export type LinkIssuer = (order: LinkOrder) => Promise<{ url: string; code: string }>

/** Issues magic links: one per gate and recipient, so that a reminder has the link of the first message. */
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
    const url = `${deps.public_url}/triggers/approve/${gateNoticesWorkflowId(gate_id)}?token=${token}`
    return { url, code: deps.signer.code(jti) }
  }
}

/** The claims of a magic link, proven by its signature. */
export interface LinkClaims {
  jti: string
  gate_id: string
  plan_hash: string
  recipient: string
  /** seconds since 1970, RFC 7519 */
  exp: number
}

/** `forged` is everything that we did not sign; nothing in it can be believed, not even for the record. */
type ReadLink = { kind: 'sound' | 'expired'; claims: LinkClaims } | { kind: 'forged' }

/** Makes and reads magic links; what belongs to a link follows from its id and the key, and is kept nowhere. */
export interface LinkSigner {
  mint(claims: LinkClaims): Promise<string>
  read(token: string): Promise<ReadLink>
  /** the code in the message beside the link */
  code(jti: string): string
  isCode(jti: string, given: string): boolean
  /** a fresh proof of having read the page of this link */
  nonce(jti: string): string
  isNonce(jti: string, given: string): boolean
  /** a text bound to one link, which a browser stores and sends back */
  bind(jti: string, text: string): string
  /** the text that was bound to this link; undefined for any other */
  bound(jti: string, given: string): string | undefined
}
