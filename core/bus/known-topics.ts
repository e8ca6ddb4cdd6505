import { DomainError } from '../errors.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { CloudEvent } from './cloud-event.ts'
import { matchTopics, parseTopic } from './topic.ts'

/** What the service publishes itself. Everything else is published by packs, as `pack.<pack>.<name>`. */
const OURS = [
  'run.queued',
  'run.started',
  'run.awaiting_approval',
  'run.succeeded',
  'run.failed',
  'run.rejected',
  'run.cancelled',
  'run.expired',
  'gate.opened',
  'gate.resolved',
  'work.set_aside',
  'alert.not_understood',
  'ask.answered',
]

/** Why no event ever fits a pattern; undefined for one that may match. */
export function silentPattern(pattern: string): string | undefined {
  const [first = ''] = pattern.split('.')
  if (first === 'pack' || !/^[\w-]+$/.test(first) || OURS.some(matchTopics([pattern]))) return undefined
  return `no event has the topic ${pattern}${didYouMean(pattern, OURS) || ': there are those of runs and gates, and pack.<pack>.<name>'}`
}

/** Throws `validation_failed` for an event that cannot be published. */
export function checkEvent(event: CloudEvent): void {
  parseTopic(event.type)
  for (const field of ['id', 'source', 'workspaceid'] as const)
    if (event[field] === '') throw new DomainError('validation_failed', `an event has no ${field}`)
}
