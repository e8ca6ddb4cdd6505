import type { DomainError } from '#core/errors.ts'

const recorded = new WeakSet<DomainError>()

/** Notes that a refusal is on record with all that is known of it, so that nobody records it again. */
export function onRecord<Refusal extends DomainError>(error: Refusal): Refusal {
  recorded.add(error)
  return error
}

export function isOnRecord(error: DomainError): boolean {
  return recorded.has(error)
}
