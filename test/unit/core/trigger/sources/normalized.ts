import { createHash } from 'node:crypto'
import { DomainError } from '#core/errors.ts'
import { normalizeAlerts } from '#core/trigger/normalize-alert.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** What becomes of a payload, of the source that is named or of the one that recognises it. */
export const normalize = (body: unknown, source?: string) => normalizeAlerts(body, source, sha256)

/** The first alert of the payload. */
export const one = (body: unknown) => normalize(body).alerts[0]

/** Why the payload is refused. */
export function refusal(body: unknown, source?: string): DomainError {
  try {
    normalize(body, source)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** The fingerprint and the member of an alert that fires, and of the one that says it has recovered. */
export function firedAndResolved(firing: unknown, resolved: unknown) {
  return [one(firing), one(resolved)].map((alert) => ({
    status: alert?.status,
    fingerprint: alert?.fingerprint,
    external_id: alert?.external_id,
  }))
}
