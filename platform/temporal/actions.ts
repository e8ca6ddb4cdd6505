import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client'
import { ACTION_WORKFLOW, type ActionInput, actionWorkflowId, STAND_DOWN } from '#core/action-contract.ts'
import { LEDGER_QUEUE } from '#core/contract.ts'

const DEADLINE_MS = 5_000

/** The workflows that tell people about gates. */
export interface Actions {
  /** a repeat is harmless: one workflow per gate, ever */
  start(input: ActionInput): Promise<void>
  /** the gate is resolved; nothing happens when its workflow never began or is over */
  standDown(gateId: string): Promise<void>
  /** starts it once more, in the place of the one that is open */
  restart(input: ActionInput): Promise<void>
}

/** Starts action workflows and ends them through the engine. */
export function createActions(client: Client): Actions {
  const inTime = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + DEADLINE_MS, call)
  const begin = async (
    input: ActionInput,
    policies: Pick<WorkflowStartOptions, 'workflowIdReusePolicy' | 'workflowIdConflictPolicy'>,
  ): Promise<void> => {
    await inTime(() =>
      client.workflow.start(ACTION_WORKFLOW, {
        workflowId: actionWorkflowId(input.gate_id),
        taskQueue: LEDGER_QUEUE,
        args: [input],
        ...policies,
        priority: { fairnessKey: input.workspace_id },
        staticSummary: `Notices about ${input.gate_id} of ${input.run_id}`,
      }),
    )
  }
  return {
    async start(input) {
      try {
        await begin(input, { workflowIdReusePolicy: 'REJECT_DUPLICATE', workflowIdConflictPolicy: 'FAIL' })
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      }
    },

    restart: (input) =>
      begin(input, { workflowIdReusePolicy: 'ALLOW_DUPLICATE', workflowIdConflictPolicy: 'TERMINATE_EXISTING' }),

    async standDown(gateId) {
      try {
        await inTime(() => client.workflow.getHandle(actionWorkflowId(gateId)).signal(STAND_DOWN))
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
    },
  }
}
