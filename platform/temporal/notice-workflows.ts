import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client'
import { LEDGER_QUEUE } from '#core/contract.ts'
import {
  CONNECTION_WORKFLOW,
  type ConnectionInput,
  connectionWorkflowId,
  DIGEST_WORKFLOW,
  type DigestInput,
  digestWorkflowId,
  END_WORKFLOW,
  type EndInput,
  endWorkflowId,
  GATE_CHANGED,
  GATE_NOTICES_WORKFLOW,
  type GateNoticesInput,
  gateNoticesWorkflowId,
  HALT_WORKFLOW,
  type HaltInput,
  haltWorkflowId,
} from '#core/notify/contract.ts'
import { WORKSPACE_ID } from '#core/run/search.ts'

const DEADLINE_MS = 5_000

/** The workflows that send notices about gates, ends of runs, halts and connections, and digests of them. */
export interface NoticeWorkflows {
  /** a repeat is harmless: one workflow per gate, ever */
  start(input: GateNoticesInput): Promise<void>
  /** the gate is resolved, or was answered in a user's name; no effect when its workflow never began or is over */
  gateChanged(gateId: string): Promise<void>
  /** a repeat is harmless: one workflow per run, ever */
  sendEndNotice(input: EndInput): Promise<void>
  /** a repeat is harmless: one workflow per message about a halt, ever */
  sendHaltNotice(input: HaltInput): Promise<void>
  /** a repeat is harmless: one workflow per message of a digest, ever */
  sendDigest(input: DigestInput): Promise<void>
  /** a repeat is harmless: one workflow per message about an authorisation, ever */
  sendConnectionNotice(input: ConnectionInput): Promise<void>
}

const ONCE = { workflowIdReusePolicy: 'REJECT_DUPLICATE', workflowIdConflictPolicy: 'FAIL' } as const

/** Starts the workflows of notices, and signals them, through the engine. */
export function createNoticeWorkflows(client: Client): NoticeWorkflows {
  const inTime = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + DEADLINE_MS, call)
  const startOnce = (type: string, options: Omit<WorkflowStartOptions, 'taskQueue'>) =>
    unlessStarted(() => inTime(() => client.workflow.start(type, { taskQueue: LEDGER_QUEUE, ...ONCE, ...options })))
  const ofRun = ({ run_id, workspace_id }: EndInput) => ({
    priority: { fairnessKey: workspace_id },
    typedSearchAttributes: [{ key: WORKSPACE_ID, value: workspace_id }],
    memo: { workspace: workspace_id, run: run_id },
  })
  return {
    start: (input) =>
      startOnce(GATE_NOTICES_WORKFLOW, {
        ...ofRun(input),
        workflowId: gateNoticesWorkflowId(input.gate_id),
        args: [input],
        staticSummary: `Notices about ${input.gate_id} of ${input.run_id}`,
      }),

    sendEndNotice: (input) =>
      startOnce(END_WORKFLOW, {
        ...ofRun(input),
        workflowId: endWorkflowId(input.run_id),
        args: [input],
        staticSummary: `How ${input.run_id} ended`,
      }),

    sendHaltNotice: (input) =>
      startOnce(HALT_WORKFLOW, {
        workflowId: haltWorkflowId(input),
        args: [input],
        staticSummary: `Message ${input.notice} about ${input.halt_id}`,
      }),

    sendDigest: (input) =>
      startOnce(DIGEST_WORKFLOW, {
        workflowId: digestWorkflowId(input),
        args: [input],
        staticSummary: `Message ${input.notice} of the digest ${input.digest_id}`,
      }),

    sendConnectionNotice: (input) =>
      startOnce(CONNECTION_WORKFLOW, {
        workflowId: connectionWorkflowId(input),
        args: [input],
        staticSummary: `Message ${input.notice} about ${input.authorization_id}`,
      }),

    async gateChanged(gateId) {
      try {
        await inTime(() => client.workflow.getHandle(gateNoticesWorkflowId(gateId)).signal(GATE_CHANGED))
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
    },
  }
}

async function unlessStarted(start: () => Promise<unknown>): Promise<void> {
  try {
    await start()
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
