import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { LANES, RUN_WORKFLOW, WAKE_RUN } from '#core/contract.ts'

const PAGE = 1_000

/** The workflows of runs in the engine: one of another type, or on another queue, is none, whatever its id. */
export function createRunWorkflows(client: Client) {
  async function* listed(query: string): AsyncGenerator<string> {
    for await (const { workflowId } of client.workflow.list({ query, pageSize: PAGE })) yield workflowId
  }

  return {
    /** Ids of the open workflows, read page by page on demand. One that has just begun may be missing. */
    open(): AsyncGenerator<string> {
      const queues = LANES.map((lane) => `'${lane}'`).join(', ')
      return listed(`WorkflowType = '${RUN_WORKFLOW}' AND TaskQueue IN (${queues}) AND ExecutionStatus = 'Running'`)
    },

    /** true while the workflow of a run is open */
    async alive(runId: string): Promise<boolean> {
      try {
        const { status, type, taskQueue } = await client.workflow.getHandle(runId).describe()
        return status.name === 'RUNNING' && type === RUN_WORKFLOW && LANES.some((lane) => lane === taskQueue)
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false
        throw error
      }
    },

    /** Makes a waiting run read the record again. One whose workflow has ended has nothing to do. */
    async wake(runId: string): Promise<void> {
      try {
        await client.workflow.getHandle(runId).signal(WAKE_RUN)
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
    },
  }
}

export type RunWorkflows = ReturnType<typeof createRunWorkflows>
