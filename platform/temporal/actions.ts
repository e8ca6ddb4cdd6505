import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import {
  ACTION_WORKFLOW,
  type ActionInput,
  actionWorkflowId,
  DIGEST_WORKFLOW,
  type DigestInput,
  digestWorkflowId,
  END_WORKFLOW,
  type EndInput,
  endWorkflowId,
  HALT_WORKFLOW,
  type HaltInput,
  haltWorkflowId,
  STAND_DOWN,
} from '#core/action-contract.ts'
import { LEDGER_QUEUE } from '#core/contract.ts'
import { WORKSPACE_ID } from '#core/run/search.ts'

const DEADLINE_MS = 5_000

/** The workflows that send notices about gates, ends of runs and halts. */
export interface Actions {
  /** a repeat is harmless: one workflow per gate, ever */
  start(input: ActionInput): Promise<void>
  /** the gate is resolved, or was answered in a user's name; no effect when its workflow never began or is over */
  gateChanged(gateId: string): Promise<void>
  /** a repeat is harmless: one workflow per run, ever */
  sendEndNotice(input: EndInput): Promise<void>
  /** a repeat is harmless: one workflow per message about a halt, ever */
  sendHaltNotice(input: HaltInput): Promise<void>
  /** a repeat is harmless: one workflow per message of a digest, ever */
  sendDigest(input: DigestInput): Promise<void>
}

const ONCE = { workflowIdReusePolicy: 'REJECT_DUPLICATE', workflowIdConflictPolicy: 'FAIL' } as const

/** Starts action workflows and ends them through the engine. */
export function createActions(client: Client): Actions {
  const inTime = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + DEADLINE_MS, call)
  const shared = ({ run_id, workspace_id }: EndInput) => ({
    taskQueue: LEDGER_QUEUE,
    priority: { fairnessKey: workspace_id },
    typedSearchAttributes: [{ key: WORKSPACE_ID, value: workspace_id }],
    memo: { workspace: workspace_id, run: run_id },
  })
  return {
    start: (input) =>
      unlessStarted(async () => {
        await inTime(() =>
          client.workflow.start(ACTION_WORKFLOW, {
            ...shared(input),
            ...ONCE,
            workflowId: actionWorkflowId(input.gate_id),
            args: [input],
            staticSummary: `Notices about ${input.gate_id} of ${input.run_id}`,
          }),
        )
      }),

    sendEndNotice: (input) =>
      unlessStarted(async () => {
        await inTime(() =>
          client.workflow.start(END_WORKFLOW, {
            ...shared(input),
            ...ONCE,
            workflowId: endWorkflowId(input.run_id),
            args: [input],
            staticSummary: `How ${input.run_id} ended`,
          }),
        )
      }),

    sendHaltNotice: (input) =>
      unlessStarted(async () => {
        await inTime(() =>
          client.workflow.start(HALT_WORKFLOW, {
            taskQueue: LEDGER_QUEUE,
            ...ONCE,
            workflowId: haltWorkflowId(input),
            args: [input],
            staticSummary: `Message ${input.notice} about ${input.halt_id}`,
          }),
        )
      }),

    sendDigest: (input) =>
      unlessStarted(async () => {
        await inTime(() =>
          client.workflow.start(DIGEST_WORKFLOW, {
            taskQueue: LEDGER_QUEUE,
            ...ONCE,
            workflowId: digestWorkflowId(input),
            args: [input],
            staticSummary: `Message ${input.notice} of the digest ${input.digest_id}`,
          }),
        )
      }),

    async gateChanged(gateId) {
      try {
        await inTime(() => client.workflow.getHandle(actionWorkflowId(gateId)).signal(STAND_DOWN))
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
    },
  }
}

async function unlessStarted(start: () => Promise<void>): Promise<void> {
  try {
    await start()
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
