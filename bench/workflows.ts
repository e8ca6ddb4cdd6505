import {
  condition,
  defineSignal,
  defineUpdate,
  executeChild,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'

export { pipelineV1, remoteJobV1, runV2 } from '#workflows/index.ts'

export interface RawActivities {
  noop(payload: string): Promise<{ echo: string }>
  mark(id: string): Promise<void>
  /** starts a workflow that signals its parent when it has ended */
  launch(id: string, parent: string): Promise<void>
}

const { noop, mark, launch } = proxyActivities<RawActivities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '4s',
  retry: { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** A hand-written counterpart without governance: the same three steps, one activity each. */
export async function rawSteps(payload: string): Promise<{ echo: string }> {
  await noop(payload)
  await noop(payload)
  return await noop(payload)
}

/** A hand-written counterpart of a step that an external worker does. */
export async function rawRemote(taskQueue: string, ms: number): Promise<unknown> {
  const { work } = proxyActivities<{ work(input: { ms: number }): Promise<unknown> }>({
    taskQueue,
    startToCloseTimeout: '60s',
    retry: { maximumAttempts: 1 },
  })
  return await work({ ms })
}

export const go = defineUpdate<boolean>('go')

/** A hand-written approval: an Update, then the next activity. */
export async function rawGate(id: string): Promise<void> {
  let approved = false
  setHandler(go, () => {
    approved = true
    return true
  })
  await condition(() => approved, '1h')
  await mark(id)
}

const PAYLOAD = 'x'.repeat(100)
const ended = defineSignal<[string]>('ended')

/** Runs branches in parallel, the runs of each one after the other, without governance. */
async function inBranches(branches: number, runs: number, run: (id: string) => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: branches }, async (_, branch) => {
      for (let at = 0; at < runs / branches; at += 1) await run(`${workflowInfo().workflowId}/${branch}/${at}`)
    }),
  )
}

export async function parentOfChildren(branches: number, runs: number): Promise<void> {
  await inBranches(branches, runs, (workflowId) => executeChild(rawSteps, { workflowId, args: [PAYLOAD] }))
}

export async function parentBySignals(branches: number, runs: number): Promise<void> {
  const over = new Set<string>()
  setHandler(ended, (id) => void over.add(id))
  await inBranches(branches, runs, async (id) => {
    await launch(id, workflowInfo().workflowId)
    await condition(() => over.has(id))
  })
}

export async function rawStepsOf(parent: string): Promise<void> {
  await rawSteps(PAYLOAD)
  await getExternalWorkflowHandle(parent).signal(ended, workflowInfo().workflowId)
}
