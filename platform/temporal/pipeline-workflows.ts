import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import { ENDS_AS_RUN, LEDGER_QUEUE } from '#core/contract.ts'
import { PIPELINE_WORKFLOW, type PipelineClaim, type PipelineStart, WAKE_PIPELINE } from '#core/pipeline/contract.ts'
import { ENVIRONMENT, WORKSPACE_ID } from '#core/run/search.ts'

const DEADLINE_MS = 5_000
const WORKFLOW_TASK_TIMEOUT = '10s'

/** The workflows of pipelines. If one is lost, another continues from the record. */
export function createPipelineWorkflows(client: Client) {
  const inTime = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + DEADLINE_MS, call)
  async function begin(
    { pipeline_id, workspace_id, name, environment }: PipelineStart,
    workflowIdConflictPolicy: 'FAIL' | 'TERMINATE_EXISTING',
  ): Promise<void> {
    const claim: PipelineClaim = { pipeline_id, workspace_id }
    try {
      await inTime(() =>
        client.workflow.start(PIPELINE_WORKFLOW, {
          workflowId: pipeline_id,
          taskQueue: LEDGER_QUEUE,
          args: [claim],
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy,
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
  }

  return {
    /** A repeat is harmless: one open workflow for each pipeline. */
    begin: (pipeline: PipelineStart) => begin(pipeline, 'FAIL'),

    /** The same where a foreign workflow may have taken its id: one of another type, or on another queue, is not ours. */
    async restart(pipeline: PipelineStart): Promise<void> {
      if (await inTime(() => isOurs(client, pipeline.pipeline_id))) return
      await begin(pipeline, 'TERMINATE_EXISTING')
    },

    /** Has it read its record again; false where no workflow of it is open. */
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

async function isOurs(client: Client, pipelineId: string): Promise<boolean> {
  try {
    const { status, type, taskQueue } = await client.workflow.getHandle(pipelineId).describe()
    return status.name === 'RUNNING' && type === PIPELINE_WORKFLOW && taskQueue === LEDGER_QUEUE
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}
