import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { RUN_WORKFLOW } from '#core/contract.ts'

/** Endings that no run has by itself: it always completes. */
const FROM_OUTSIDE = ['Terminated', 'Failed', 'TimedOut', 'Canceled']
/** How late the engine's lists may be. */
const LATE_MS = 60_000
/** Completions are many, and each is looked at once or twice. */
const LATE_COMPLETION_MS = 6_000
const MOST = 2_000

/** Finds workflows of runs that have ended, in lists of the engine and not by asking for each. */
export function createEndedWorkflows(client: Client, now: () => number) {
  async function closed(statuses: string[], withinMs: number): Promise<string[]> {
    const since = new Date(now() - withinMs).toISOString()
    const named = statuses.map((status) => `'${status}'`).join(', ')
    const query = `WorkflowType = '${RUN_WORKFLOW}' AND ExecutionStatus IN (${named}) AND CloseTime > '${since}'`
    const ids: string[] = []
    for await (const { workflowId } of client.workflow.list({ query, pageSize: 500 })) {
      ids.push(workflowId)
      if (ids.length >= MOST) break
    }
    return ids
  }

  return {
    /** Workflow ids of what has ended lately, also what was started again since. */
    async lately(): Promise<string[]> {
      const found = await Promise.all([closed(FROM_OUTSIDE, LATE_MS), closed(['Completed'], LATE_COMPLETION_MS)])
      return [...new Set(found.flat())]
    },

    /** true while the workflow of a run is open */
    async alive(runId: string): Promise<boolean> {
      try {
        const { status } = await client.workflow.getHandle(runId).describe()
        return status.name === 'RUNNING'
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false
        throw error
      }
    },

    /** Ids of open workflows of an earlier type. */
    async openOf(type: string): Promise<string[]> {
      const ids: string[] = []
      const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Running'`
      for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId)
      return ids
    },
  }
}

export type EndedWorkflows = ReturnType<typeof createEndedWorkflows>
