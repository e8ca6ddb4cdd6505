import { didYouMean } from '../did-you-mean.ts'
import { matchTopics } from './topic.ts'

/** What is published of runs and their gates. Everything else is published by packs, as `pack.<pack>.<name>`. */
const OF_RUNS = [
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
]

/** Why no event ever fits a pattern; undefined for one that may hear something. */
export function silentPattern(pattern: string): string | undefined {
  const [first = ''] = pattern.split('.')
  if (first === 'pack' || !/^[\w-]+$/.test(first) || OF_RUNS.some(matchTopics([pattern]))) return undefined
  return `no event has the topic ${pattern}${didYouMean(pattern, OF_RUNS) || ': there are those of runs and gates, and pack.<pack>.<name>'}`
}
