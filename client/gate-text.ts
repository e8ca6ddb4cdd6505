/** The actor of every act while authentication is off. */
const LOCAL_OWNER = 'usr_local'

/** Somebody who answered: by name, and by a link alone by where it was sent, since a link can be passed on. */
export function answeredBy({ by, name }: { by: string; name?: string | undefined }): string {
  if (by === LOCAL_OWNER) return 'the local owner'
  return name ?? (/[@#]/.test(by) ? linkHolder(by) : by)
}

/** A link that was sent to a webhook has a digest of its address behind the host. */
export function linkHolder(recipient: string): string {
  return `holder of the link sent to ${recipient.replace(/#[^#]*$/, '')}`
}

/** What the steps before a gate have found, on one line. */
export function evidenceText({ evidence }: { evidence: readonly { excerpt?: string | undefined }[] }): string {
  const lines = evidence.flatMap(({ excerpt = '' }) => excerpt.split('\n')).map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.endsWith(':')).join(' · ')
}
