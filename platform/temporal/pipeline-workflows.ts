import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import { ENDS_AS_RUN, LEDGER_QUEUE } from '#core/contract.ts'
import { PIPELINE_WORKFLOW, type PipelineClaim, WAKE_PIPELINE } from '#core/pipeline/contract.ts'
import { ENVIRONMENT, WORKSPACE_ID } from '#core/run/search-attributes.ts'

const DEADLINE_MS = 5_000
const WORKFLOW_TASK_TIMEOUT = '10s'

/** The workflows of pipelines. Whatever becomes of one, the record has everything, and another goes on from there. */
export function createPipelineWorkflows(client: Client) {
  const inTime = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + DEADLINE_MS, call)
  return {
    /** A repeat is harmless: one open workflow for each pipeline. */
    async begin(pipeline: PipelineClaim & { name: string; environment: string }): Promise<void> {
      const { pipeline_id, workspace_id, name, environment } = pipeline
      const claim: PipelineClaim = { pipeline_id, workspace_id }
      try {
        await inTime(() =>
          client.workflow.start(PIPELINE_WORKFLOW, {
            workflowId: pipeline_id,
            taskQueue: LEDGER_QUEUE,
            args: [claim],
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            workflowIdConflictPolicy: 'FAIL',
            workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
            priority: { fairnessKey: workspace_id },
            staticSummary: `Pipeline ${name}`,
            typedSearchAttributes: [
              { key: WORKSPACE_ID, value: workspace_id },
              { key: ENVIRONMENT, value: environment },
            ],
            memo: { workspace: workspace_id, pipeline: name, environment, [ENDS_AS_RUN]: true },
          }),
        )
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      }
    },

    /** Has it look at its record; false where no workflow of it is open. */
    async wake(pipelineId: string): Promise<boolean> {
      try {
        await inTime(() => client.workflow.getHandle(pipelineId).signal(WAKE_PIPELINE))
        return true
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false
        throw error
      }
    },
  }
}
