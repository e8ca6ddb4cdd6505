import { proxyActivities } from '@temporalio/workflow'

interface Asked {
  name: string
  task_queue: string
  claim: unknown
}

/** What somebody with access to the engine can write: it schedules an activity of ours with whatever it likes. */
export async function askActivity({ name, task_queue, claim }: Asked): Promise<unknown> {
  const activities = proxyActivities<Record<string, (claim: unknown) => Promise<unknown>>>({
    taskQueue: task_queue,
    scheduleToCloseTimeout: '10s',
    retry: { maximumAttempts: 1 },
  })
  return await activities[name]?.(claim)
}

/** The same under the names of our own workflows. */
export async function runV2(asked: Asked): Promise<unknown> {
  return await askActivity(asked)
}
export async function actionV2(asked: Asked): Promise<unknown> {
  return await askActivity(asked)
}
export async function scheduleFiringV1(asked: Asked): Promise<unknown> {
  return await askActivity(asked)
}
export async function pipelineV1(asked: Asked): Promise<unknown> {
  return await askActivity(asked)
}
export async function remoteJobV1(asked: Asked): Promise<unknown> {
  return await askActivity(asked)
}
