import { setTimeout as pause } from 'node:timers/promises'
import { COMMAND, CONFLICT, type Command, type Engine, payloads, seconds, textsIn } from './engine.ts'

export const FOREIGN_QUEUE = 'foreign'
const POLLERS = 3

/** A worker of somebody else: its workflows do what they are told, one list of commands after the other. */
export type ForeignWorker = ReturnType<typeof createForeignWorker>

interface Script {
  batches: Command[][]
  resolve(answers: string[]): void
}

export interface ForeignRun {
  type?: string
  /** the id of a workflow of ours, which is ended first */
  id?: string
  within_ms?: number
}

export function createForeignWorker(engine: Engine) {
  const scripts = new Map<string, Script>()
  let stopped = false
  let count = 0

  async function poll(): Promise<void> {
    while (!stopped) {
      const task = await engine.pollWorkflow(FOREIGN_QUEUE).catch(() => undefined)
      if (task === undefined) await pause(50)
      if (!task?.taskToken || task.taskToken.length === 0) continue
      const script = scripts.get(task.workflowExecution?.workflowId ?? '')
      const commands = script?.batches.shift()
      if (commands === undefined) {
        const answers = (task.history?.events ?? []).flatMap((event) =>
          textsIn([
            event.activityTaskCompletedEventAttributes,
            event.activityTaskFailedEventAttributes,
            event.childWorkflowExecutionCompletedEventAttributes,
          ]),
        )
        script?.resolve(answers)
      }
      await engine.answerWorkflow(task.taskToken, commands ?? [completeCommand(null)]).catch(() => undefined)
    }
  }
  const polling = Array.from({ length: POLLERS }, poll)

  return {
    /** Runs a foreign workflow of any type; returns its answer, or nothing when that takes too long. */
    async run(batches: Command[][], options: ForeignRun = {}): Promise<string[] | undefined> {
      count += 1
      const id = options.id ?? `foreign/${process.pid}/${count}`
      const answers = new Promise<string[]>((resolve) => scripts.set(id, { batches: [...batches], resolve }))
      await engine.start({
        type: options.type ?? 'elsewhereV1',
        id,
        queue: FOREIGN_QUEUE,
        args: [],
        conflict: options.id === undefined ? CONFLICT.fail : CONFLICT.terminateExisting,
      })
      const given_up = pause(options.within_ms ?? 4_000, undefined, { ref: false })
      const answer = await Promise.race([answers, given_up])
      if (answer === undefined) await engine.terminate(id).catch(() => undefined)
      scripts.delete(id)
      return answer
    },
    async stop(): Promise<void> {
      stopped = true
      await Promise.all(polling)
    },
  }
}

export function activityCommand(name: string, queue: string, args: unknown[], id = name): Command {
  return {
    commandType: COMMAND.activity,
    scheduleActivityTaskCommandAttributes: {
      activityId: id,
      activityType: { name },
      taskQueue: { name: queue },
      input: payloads(args),
      scheduleToCloseTimeout: seconds(10),
      startToCloseTimeout: seconds(8),
      heartbeatTimeout: seconds(4),
      retryPolicy: { maximumAttempts: 2 },
    },
  }
}

export function completeCommand(result: unknown): Command {
  return {
    commandType: COMMAND.complete,
    completeWorkflowExecutionCommandAttributes: { result: payloads([result]) },
  }
}
