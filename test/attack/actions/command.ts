import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { COMMAND, type Command, payloads } from '../engine.ts'
import { activityCommand } from '../foreign-worker.ts'
import { forgedCommand, forgedPlan } from '../forge.ts'
import { LANE_ACTIVITIES, MESSAGES, QUEUES, RUN_TYPE } from '../names.ts'

/** Commands of a foreign workflow that concern ours: signals, cancellations, children of our type. */
export const command: Action = { weight: 4, act }

async function act({ world, dice, run, knowledge, harm }: Situation): Promise<Did> {
  const gate = await knowledge.gateOf(run)
  const genuine = await knowledge.inputOf(run)
  const way = dice.pick(['signal', 'cancel', 'child', 'child in its place', 'nonsense activity'])
  const input = payloads([{ run_id: run.id, ...genuine, plan: forgedPlan(world, dice, genuine['plan']) }])
  const gateMessage = MESSAGES.find((each) => /gate/.test(each)) ?? 'gate.decide'
  const forged = forgedCommand(world, dice, gate, ['approve'])
  const workflowExecution = { workflowId: run.id, runId: '' }
  const queue = dice.pick(QUEUES)
  const child = (workflowId: string): Command => ({
    commandType: COMMAND.child,
    startChildWorkflowExecutionCommandAttributes: {
      namespace: world.engine.namespace,
      workflowId,
      workflowType: { name: RUN_TYPE },
      taskQueue: { name: queue },
      input,
      parentClosePolicy: 2,
    },
  })
  const commands: Record<string, Command> = {
    signal: {
      commandType: COMMAND.signal,
      signalExternalWorkflowExecutionCommandAttributes: {
        namespace: world.engine.namespace,
        execution: workflowExecution,
        signalName: gateMessage,
        input: payloads([dice.pick([forged, { decision: 'approve' }])]),
      },
    },
    cancel: {
      commandType: COMMAND.cancelExternal,
      requestCancelExternalWorkflowExecutionCommandAttributes: {
        namespace: world.engine.namespace,
        workflowId: run.id,
        runId: '',
      },
    },
    child: child(`forged/${run.id}/${dice.hex(8)}`),
    'child in its place': child(run.id),
    'nonsense activity': activityCommand(`${dice.pick(LANE_ACTIVITIES)}${dice.pick(['', '2', 'V1'])}`, queue, []),
  }
  if (way === 'cancel' && !run.prey) return { variant: way, result: 'nothing' }
  if (way === 'cancel') harm(run.id, 'ended')
  const chosen = commands[way]
  if (chosen === undefined) return { variant: way, result: 'nothing' }
  return await attempt(way, async () => (await world.foreign.run([[chosen]], { within_ms: 2_000 }))?.join(' '))
}
