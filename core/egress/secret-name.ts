const SECRET_NAME =
  /(^|[-_])(authorization|auth|cookie|token|secret|password|passwd|passphrase|credentials?|signature|session|jwt|apikey|key)($|[-_0-9])|(token|secret|password|apikey)$/

/** What stands in the place of a secret wherever people or records see it. */
export const HIDDEN = '<hidden>'

/** Whether a header, query parameter or field is named like something that holds a secret. */
export function isSecretName(name: string): boolean {
  const normalised = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[.\s]/g, '-')
  return normalised !== 'idempotency-key' && SECRET_NAME.test(normalised)
}
