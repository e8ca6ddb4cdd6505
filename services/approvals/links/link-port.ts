/** What a magic link says; its signature makes it true. */
export interface LinkClaims {
  jti: string
  gate_id: string
  plan_hash: string
  recipient: string
  /** seconds since 1970, RFC 7519 */
  exp: number
}

/** `forged` is everything that we did not sign; nothing in it can be believed, not even for the record. */
export type ReadLink = { kind: 'sound' | 'expired'; claims: LinkClaims } | { kind: 'forged' }

/** Makes and reads magic links; what belongs to a link follows from its id and the key, and is kept nowhere. */
export interface LinkSigner {
  mint(claims: LinkClaims): Promise<string>
  read(token: string): Promise<ReadLink>
  /** the code that stands in the message beside the link */
  code(jti: string): string
  isCode(jti: string, given: string): boolean
  /** a fresh proof of having read the page of this link */
  nonce(jti: string): string
  isNonce(jti: string, given: string): boolean
  /** a text that a browser keeps for one link, so that it comes back as it was */
  bind(jti: string, text: string): string
  /** what was bound to this link; undefined for everything else */
  bound(jti: string, given: string): string | undefined
}
