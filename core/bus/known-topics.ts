import { didYouMean } from '../did-you-mean.ts'
import { matchTopics } from './topic.ts'

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

/** Why no event ever fits a pattern; undefined for one that may hear something. */
export function silentPattern(pattern: string): string | undefined {
  const [first = ''] = pattern.split('.')
  if (first === 'pack' || !/^[\w-]+$/.test(first) || OURS.some(matchTopics([pattern]))) return undefined
  return `no event has the topic ${pattern}${didYouMean(pattern, OURS) || ': there are those of runs and gates, and pack.<pack>.<name>'}`
}
