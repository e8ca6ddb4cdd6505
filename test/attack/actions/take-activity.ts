import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { FORGED_RESULTS, forgedResult } from '../forge.ts'
import { QUEUES } from '../names.ts'

/** Polls our queues for a task of ours and answers it, fails it, or keeps it. */
export const takeActivity: Action = { weight: 6, act }

async function act({ world, dice, run, knowledge, harm }: Situation): Promise<Did> {
  const { engine } = world
  const queue = dice.pick(QUEUES)
  const way = dice.pick([...FORGED_RESULTS, 'failed', 'failed for good', 'kept'] as const)
  const gate = await knowledge.gateOf(run)
  const task = await engine.pollActivity(queue).catch(() => undefined)
  const token = task?.taskToken
  const run_id = task?.workflowExecution?.workflowId ?? ''
  if (!token || token.length === 0) return { variant: way, result: 'nothing', detail: `nothing on ${queue}` }
  knowledge.tokens.push({ token, run_id })
  const detail = `${task.activityType?.name ?? ''} of ${run_id} on ${queue}`
  // anyone who takes a task and never answers delays it until its timeout, and no longer
  if (way === 'kept') return { variant: way, result: 'taken', detail }
  harm(run_id, 'ended')
  const did = await attempt(way, async () => {
    if (way === 'failed') await engine.failActivity(token, 'Drill', false)
    else if (way === 'failed for good') await engine.failActivity(token, 'Drill', true)
    else await engine.answerActivity(token, forgedResult(dice, gate, way))
  })
  return { ...did, detail: `${detail} ${did.detail}` }
}
