/** Somebody who answered: by name, and by a link alone by where it was sent, since a link can be passed on. */
export function answeredBy({ by, name }: { by: string; name?: string | undefined }): string {
  return name ?? (/[@#]/.test(by) ? linkHolder(by) : by)
}

/** A link that was sent to a webhook has a digest of its address behind the host. */
export function linkHolder(recipient: string): string {
  return `holder of the link sent to ${recipient.replace(/#[^#]*$/, '')}`
}
