import { Client, Connection, WorkflowFailedError } from '@temporalio/client'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker'
import {
  type CancelCommand,
  DECIDE_GATE,
  ENDS_AS_RUN,
  type GateCommand,
  type GateSignal,
  LEDGER_QUEUE,
  RUN_FAILED,
  RUN_WORKFLOW,
  type RunClaim,
  type RunHints,
  type RunResult,
} from '#core/contract.ts'
import {
  connectionWorkflowId,
  digestWorkflowId,
  endWorkflowId,
  type GateNoticesResult,
  gateNoticesWorkflowId,
  haltWorkflowId,
  type NoticesResult,
} from '#core/notify/contract.ts'
import { PIPELINE_WORKFLOW, type PipelineClaim, type PipelineResult } from '#core/pipeline/contract.ts'
import {
  type FireResult,
  firingWorkflowIdAt,
  SCHEDULE_FIRING_WORKFLOW,
  type ScheduleFiringInput,
} from '#core/schedule/contract.ts'
import { prepareNamespace } from '#platform/embedded/prepare-namespace.ts'
import { poll } from '#platform/embedded/processes.ts'
import { createEngine } from '#platform/temporal/engine.ts'
import { createNoticeWorkflows } from '#platform/temporal/notice-workflows.ts'
import { createPipelineWorkflows } from '#platform/temporal/pipeline-workflows.ts'
import { createRemoteJobWorkflows } from '#platform/temporal/remote-job-workflows.ts'
import { createRunWorkflows } from '#platform/temporal/run-workflows.ts'
import { createWorkers } from '#workers/create-workers.ts'
import { prepareWorkflowBundle } from '#workers/workflow-bundle.ts'
import { testLog } from './embedded.ts'
import { PATIENCE } from './patience.ts'
import { createScriptedActivities, type Execution, gateOf } from './scripted-activities.ts'
import { type Attempt, createScriptedFirings } from './scripted-firings.ts'
import { createScriptedNotices, type NoticeScript, type ScriptedNotices } from './scripted-notices.ts'
import { createScriptedPipelines, type Look } from './scripted-pipelines.ts'
import { createScriptedRemoteJobs, type RemoteScript } from './scripted-remote-jobs.ts'

/**
 * Real workflows, workers and server; only what the activities do is scripted. In a namespace of its own. A worker that caches nothing
 * replays the whole history for each workflow task.
 */
export async function startScriptedRuns(temporalAddress: string, { cached }: { cached?: number } = {}) {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const namespace = `w-${Date.now().toString(36)}-${process.pid}`
  const connection = await Connection.connect({ address: temporalAddress })
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  })
  await prepareNamespace({ connection, namespace, owned: true, log: testLog })
  const activities = createScriptedActivities()
  const scripted = createScriptedNotices()
  const firings = createScriptedFirings()
  const pipelines = createScriptedPipelines()
  const remoteJobs = createScriptedRemoteJobs()
  const native = await NativeConnection.connect({ address: temporalAddress })
  const workers = await createWorkers({
    connection: native,
    namespace,
    bundle_path: await prepareWorkflowBundle(),
    lanes: { realtime: 20, background: 1 },
    ...(cached !== undefined && { max_cached_workflows: cached }),
    activities: {
      ...activities,
      notices: scripted.activities,
      schedule: firings.activities,
      pipeline: pipelines.activities,
      remote: remoteJobs.activities,
    },
  })
  workers.push(await remoteJobs.startWorker(native, namespace))
  const running = Promise.all(workers.map((worker) => worker.run()))
  const client = new Client({ connection, namespace })

  return {
    activities,
    notices: scripted,
    pipelines,
    client,
    /** another API process: decisions through it do not queue behind those of the first */
    openEngine: () => createEngine(client),
    async start(runId: string, executions?: Execution[], hints: RunHints = {}) {
      if (executions !== undefined) activities.script(runId, executions)
      const start = {
        ...claimOf(runId),
        ...hints,
        title: 'Scripted run',
        template: 'test/scripted',
        environment: 'test',
      }
      await createEngine(client).start(start)
      return scriptedRun(client, runId)
    },
    follow: (runId: string) => scriptedRun(client, runId),
    /** a run whose history may not grow: it goes on in new executions all the time */
    async startShort(runId: string, executions: Execution[]) {
      activities.script(runId, executions)
      const first = await client.workflow.start(RUN_WORKFLOW, {
        workflowId: runId,
        taskQueue: 'realtime',
        args: [claimOf(runId)],
        memo: { history_limit: 20 },
      })
      return { ...scriptedRun(client, runId), first: client.workflow.getHandle(runId, first.firstExecutionRunId) }
    },
    async startGateNotices(gateId: string, script: NoticeScript) {
      scripted.script(gateId, script)
      const engine = createNoticeWorkflows(client)
      await engine.start({ gate_id: gateId, run_id: `run_of_${gateId}`, workspace_id: 'ws_test' })
      return scriptedGateNotices(client, gateId, scripted)
    },
    async startEnd(runId: string, script: NoticeScript) {
      scripted.script(runId, script)
      await createNoticeWorkflows(client).sendEndNotice({ run_id: runId, workspace_id: 'ws_test' })
      const handle = client.workflow.getHandle(endWorkflowId(runId))
      return { handle, result: (): Promise<NoticesResult> => handle.result() }
    },
    async startHalt(haltId: string, script: NoticeScript) {
      scripted.script(haltId, script)
      const input = { halt_id: haltId, notice: 0 }
      await createNoticeWorkflows(client).sendHaltNotice(input)
      const handle = client.workflow.getHandle(haltWorkflowId(input))
      return { handle, result: (): Promise<NoticesResult> => handle.result() }
    },
    async startConnection(authorizationId: string, script: NoticeScript) {
      scripted.script(authorizationId, script)
      const input = { authorization_id: authorizationId, notice: 1 }
      await createNoticeWorkflows(client).sendConnectionNotice(input)
      const handle = client.workflow.getHandle(connectionWorkflowId(input))
      return { handle, result: (): Promise<NoticesResult> => handle.result() }
    },
    async startDigest(digestId: string, script: NoticeScript) {
      scripted.script(digestId, script)
      const input = { digest_id: digestId, notice: 0 }
      await createNoticeWorkflows(client).sendDigest(input)
      const handle = client.workflow.getHandle(digestWorkflowId(input))
      return { handle, result: (): Promise<NoticesResult> => handle.result() }
    },
    async startFiring(scheduleId: string, attempts: Attempt[]) {
      firings.script(scheduleId, attempts)
      const input: ScheduleFiringInput = { schedule_id: scheduleId, workspace_id: 'ws_test' }
      const workflowId = firingIdOf(scheduleId)
      const handle = await client.workflow.start(SCHEDULE_FIRING_WORKFLOW, {
        workflowId,
        taskQueue: LEDGER_QUEUE,
        args: [input],
      })
      return { handle, result: (): Promise<FireResult> => handle.result() }
    },
    async startRemoteJob(jobId: string, script: RemoteScript) {
      remoteJobs.script(jobId, script)
      const start = { job_id: jobId, run_id: `run_of_${jobId}`, workspace_id: 'ws_test' }
      await createRemoteJobWorkflows(client).start({ ...start, summary: 'Scripted job', within_ms: 600_000 })
      const handle = client.workflow.getHandle(jobId)
      return { handle, result: async () => await handle.result().then(() => remoteJobs.endOf(jobId)) }
    },
    /** `short`: its history may not grow, so that it goes on in new executions all the time */
    async startPipeline(pipelineId: string, looks: Look[], short = false) {
      pipelines.script(pipelineId, looks)
      const claim: PipelineClaim = { pipeline_id: pipelineId, workspace_id: 'ws_test' }
      const first = await client.workflow.start(PIPELINE_WORKFLOW, {
        workflowId: pipelineId,
        taskQueue: LEDGER_QUEUE,
        args: [claim],
        memo: { ...(short && { history_limit: 20 }), [ENDS_AS_RUN]: true },
      })
      return scriptedPipeline(client, pipelineId, first.firstExecutionRunId)
    },
    async stop(): Promise<void> {
      for (const worker of workers) worker.shutdown()
      await running
      await native.close()
      await connection.close()
    },
  }
}

export const claimOf = (runId: string): RunClaim => ({ run_id: runId, workspace_id: 'ws_test', lane: 'realtime' })

/** A firing is known by its nominal time, which is in the id of its workflow. */
export const firingIdOf = (scheduleId: string) => firingWorkflowIdAt(scheduleId, Date.UTC(2026, 0, 1))

export type ScriptedRuns = Awaited<ReturnType<typeof startScriptedRuns>>
export type ScriptedRun = ReturnType<typeof scriptedRun>

function scriptedRun(client: Client, runId: string) {
  const handle = client.workflow.getHandle(runId)
  const engine = createEngine(client)
  const eventTypes = async () => ((await handle.fetchHistory()).events ?? []).map((event) => event.eventType)
  return {
    run_id: runId,
    gate_id: gateOf(runId),
    handle,
    decide: (kind: GateCommand['kind'], by = 'usr_1', gate_id = gateOf(runId)) =>
      engine.decide(runId, { ...commandOf(runId, kind, by), gate_id, decision_id: `${gate_id}/${kind}/${by}` }),
    /** as when a halt was lifted */
    wake: () => createRunWorkflows(client).wake(runId),
    cancel: () => engine.cancel(runId, cancelOf(runId, 'usr_1')),
    signal: (signal: GateSignal) => handle.signal(DECIDE_GATE, signal),
    /** how it ended: a run that failed or was cancelled does so in Temporal, too */
    result: (): Promise<RunResult> => handle.result().catch(asResult),
    /** how many executions the run has had, counted through its chain */
    executions: async () => await chainOf(client, runId),
    events: async () => (await handle.fetchHistory()).events ?? [],
    /** the workflow waits on its gate: its timer runs */
    parked: () => reached(async () => (await eventTypes()).includes(EVENT.TIMER_STARTED)),
    /** its timer was set a second time */
    waitsAgain: () =>
      reached(async () => (await eventTypes()).filter((type) => type === EVENT.TIMER_STARTED).length > 1),
    /** a decision has been recorded beside a workflow task */
    decided: () => reached(async () => (await eventTypes()).includes(EVENT.MARKER_RECORDED)),
    /** an execution is with its worker */
    underWay: () =>
      reached(async () => ((await handle.describe()).raw.pendingActivities ?? []).some((each) => each.state === 2)),
  }
}

function asResult(error: unknown): RunResult {
  const cause = error instanceof WorkflowFailedError ? error.cause : error
  if (cause instanceof CancelledFailure) return { status: 'cancelled' }
  if (cause instanceof ApplicationFailure && cause.type === RUN_FAILED) return { status: 'failed' }
  throw error
}

async function chainOf(client: Client, runId: string): Promise<number> {
  let count = 0
  for await (const _each of client.workflow.list({ query: `WorkflowId = '${runId}'` })) count += 1
  return count
}

export type ScriptedPipeline = ReturnType<typeof scriptedPipeline>

function scriptedPipeline(client: Client, pipelineId: string, firstRunId: string) {
  const handle = client.workflow.getHandle(pipelineId)
  const first = client.workflow.getHandle(pipelineId, firstRunId)
  return {
    pipeline_id: pipelineId,
    handle,
    first,
    wake: () => createPipelineWorkflows(client).wake(pipelineId),
    result: (): Promise<PipelineResult> =>
      handle.result().catch((error: unknown) => {
        const cause = error instanceof WorkflowFailedError ? error.cause : error
        if (cause instanceof CancelledFailure) return { status: 'cancelled' }
        if (cause instanceof ApplicationFailure && cause.type === RUN_FAILED) return { status: 'failed' }
        throw error
      }),
    executions: async () => await chainOf(client, pipelineId),
    events: async () => (await first.fetchHistory()).events ?? [],
    /** its timer runs */
    waits: () =>
      reached(async () =>
        ((await first.fetchHistory()).events ?? []).some(({ eventType }) => eventType === EVENT.TIMER_STARTED),
      ),
  }
}

export type ScriptedGateNotices = ReturnType<typeof scriptedGateNotices>

function scriptedGateNotices(client: Client, gateId: string, scripted: ScriptedNotices) {
  const handle = client.workflow.getHandle(gateNoticesWorkflowId(gateId))
  return {
    gate_id: gateId,
    handle,
    /** the gate is resolved, and its workflow told so */
    async resolve() {
      scripted.resolve(gateId)
      await createNoticeWorkflows(client).gateChanged(gateId)
    },
    /** somebody says that the gate is resolved */
    signal: () => createNoticeWorkflows(client).gateChanged(gateId),
    result: (): Promise<GateNoticesResult> => handle.result(),
  }
}

/** `temporal.api.enums.v1.EventType` */
export const EVENT = {
  WORKFLOW_TASK_FAILED: 9,
  ACTIVITY_SCHEDULED: 10,
  TIMER_STARTED: 17,
  MARKER_RECORDED: 25,
  UPDATE_ACCEPTED: 41,
} as const

async function reached(there: () => Promise<boolean>): Promise<void> {
  if ((await poll(async () => ((await there()) ? true : undefined), PATIENCE.timeout)) !== true)
    throw new Error('the run did not get there')
}

export function commandOf(runId: string, kind: GateCommand['kind'], by: string): GateCommand {
  return {
    gate_id: gateOf(runId),
    decision_id: `${runId}/${kind}/${by}`,
    kind,
    by,
    display: by,
    type: 'user',
    roles: [],
    channel: 'api',
    asserted: true,
  }
}

export function cancelOf(runId: string, by: string): CancelCommand {
  return {
    decision_id: `${runId}/cancel/${by}`,
    by,
    display: by,
    type: 'user',
    roles: [],
    channel: 'api',
    asserted: true,
  }
}
