import { DomainError } from '#core/errors.ts'

/** `If-Match` compares strongly: `*`, or one of the tags (RFC 9110 section 13.1.1). */
export function mustMatch(if_match: string | undefined, etag: string, what = 'It'): void {
  const matches = if_match?.split(',').some((tag) => tag.trim() === '*' || tag.trim() === etag) ?? true
  if (!matches) throw new DomainError('version_conflict', `${what} has changed since it was read.`, { etag })
}
