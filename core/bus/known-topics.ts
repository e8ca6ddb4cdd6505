import { DomainError } from '../errors.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { CloudEvent } from './cloud-event.ts'
import { matchTopics, parseTopic } from './topic.ts'

/** Topics that the service publishes itself. Packs publish the others, as `pack.<pack>.<name>`. */
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

/** Returns why a pattern can match no event; undefined if it can. */
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
