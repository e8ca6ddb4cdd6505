import type { Action } from '../attempt.ts'
import { answerActivity } from './answer-activity.ts'
import { callActivity } from './call-activity.ts'
import { command } from './command.ts'
import { decide } from './decide.ts'
import { flood } from './flood.ts'
import { look } from './look.ts'
import { mailLink } from './mail-link.ts'
import { replay } from './replay.ts'
import { rewind } from './rewind.ts'
import { schedule } from './schedule.ts'
import { settleAndAdvance } from './settle-and-advance.ts'
import { signal } from './signal.ts'
import { start } from './start.ts'
import { stop } from './stop.ts'
import { takeActivity } from './take-activity.ts'
import { takeWorkflow } from './take-workflow.ts'

/** Everything that the adversary does. */
export const ACTIONS: Record<string, Action> = {
  start,
  'call-activity': callActivity,
  'settle-and-advance': settleAndAdvance,
  'take-activity': takeActivity,
  'answer-activity': answerActivity,
  'take-workflow': takeWorkflow,
  decide,
  replay,
  signal,
  stop,
  rewind,
  flood,
  look,
  schedule,
  command,
  'mail-link': mailLink,
}
