import { DomainError } from '../errors.ts'
import type { CloudEvent } from './cloud-event.ts'
import { parseTopic } from './topic.ts'

/** Throws `validation_failed` for an event that cannot be published. */
export function checkEvent(event: CloudEvent): void {
  parseTopic(event.type)
  for (const field of ['id', 'source', 'workspaceid'] as const)
    if (event[field] === '') throw new DomainError('validation_failed', `an event has no ${field}`)
}
