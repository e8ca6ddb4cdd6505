import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { COMMAND, type Command, payloads } from '../engine.ts'
import { activityCommand, completeCommand, FOREIGN_QUEUE } from '../foreign-worker.ts'
import { forgedArguments, forgedPlan } from '../forge.ts'
import { LANE_ACTIVITIES, LEDGER_ACTIVITIES, QUEUES, RUN_TYPE } from '../names.ts'

/** Registers our workflow types elsewhere: takes a workflow task from our queues and answers it in our workers' place. */
export const takeWorkflow: Action = { weight: 5, act }

async function act({ world, dice, run, knowledge, harm }: Situation): Promise<Did> {
  const { engine } = world
  const queue = dice.pick(QUEUES)
  const way = dice.pick(['ended', 'activity', 'marker', 'started again', 'gone elsewhere', 'failed', 'kept'])
  const genuine = await knowledge.inputOf(run)
  const gate = await knowledge.gateOf(run)
  const args = forgedArguments(world, dice, run, gate, genuine, ['approved'])
  const name = dice.pick([...LANE_ACTIVITIES, ...LEDGER_ACTIVITIES])
  const again = { ...genuine, plan: forgedPlan(world, dice, genuine['plan']) }
  const task = await engine.pollWorkflow(queue).catch(() => undefined)
  const token = task?.taskToken
  const run_id = task?.workflowExecution?.workflowId ?? ''
  if (!token || token.length === 0) return { variant: way, result: 'nothing', detail: `nothing on ${queue}` }
  const detail = `${task.workflowType?.name ?? ''} ${run_id} on ${queue}`
  if (way === 'kept') return { variant: way, result: 'taken', detail }
  if (way !== 'failed') harm(run_id, 'seized')
  const commands: Record<string, Command[]> = {
    ended: [completeCommand({ status: 'succeeded' })],
    activity: [activityCommand(name, dice.pick(QUEUES), [{ ...args, run_id }])],
    marker: [{ commandType: COMMAND.marker, recordMarkerCommandAttributes: { markerName: 'forged', details: {} } }],
    'gone elsewhere': [goOn('elsewhereV1', FOREIGN_QUEUE)],
    'started again': [goOn(RUN_TYPE, queue)],
  }
  const did = await attempt(way, async () => {
    if (way === 'failed') await engine.failWorkflow(token)
    else await engine.answerWorkflow(token, commands[way] ?? [])
  })
  return { ...did, detail: `${detail} ${did.detail}` }

  function goOn(name: string, place: string): Command {
    return {
      commandType: COMMAND.again,
      continueAsNewWorkflowExecutionCommandAttributes: {
        workflowType: { name },
        taskQueue: { name: place },
        input: payloads([again]),
      },
    }
  }
}
