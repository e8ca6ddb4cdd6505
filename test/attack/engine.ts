import type { Client } from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'

type Connection = Client['connection']
type Service = Connection['workflowService']
type Request<Name extends keyof Service> = Service[Name] extends (request: infer Given) => unknown ? Given : never
export type Command = NonNullable<Request<'respondWorkflowTaskCompleted'>['commands']>[number]
/** An Update that was refused: by our workflow, or by what it asked. */
export class RefusedUpdate extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(`${code}: ${message}`)
    this.code = code
  }
}

type Payloads = { payloads: ReturnType<typeof defaultPayloadConverter.toPayload>[] }

/** What somebody who reaches the engine's port can do there; no SDK of theirs needs to be well-behaved. */
export type Engine = ReturnType<typeof createEngine>

export const COMMAND = {
  activity: 1,
  complete: 4,
  fail: 5,
  cancelExternal: 8,
  marker: 9,
  again: 10,
  child: 11,
  signal: 12,
}
export const CONFLICT = { fail: 1, useExisting: 2, terminateExisting: 3 } as const
const ALLOW_DUPLICATE = 1
const COMPLETED = 3
/** the frontend refuses polls that wait for less than two seconds, and answers a second before the end */
const POLL_MS = 2_400
const CALL_MS = 2_500

export interface Start {
  type: string
  id: string
  queue: string
  args: unknown[]
  conflict?: number
  signal?: { name: string; args: unknown[] }
}

export function createEngine(connection: Connection, namespace: string) {
  const service = connection.workflowService
  /** everything that the engine and our workers ever answered */
  const answers: string[] = []
  const identity = 'somebody@elsewhere'
  const execution = (workflowId: string) => ({ workflowId })

  async function ask<Answer>(call: () => Promise<Answer>, within_ms = CALL_MS): Promise<Answer> {
    try {
      const answer = await connection.withDeadline(Date.now() + within_ms, call)
      answers.push(...textsIn(answer))
      return answer
    } catch (error) {
      answers.push(String(error))
      throw error
    }
  }

  const started = ({ type, id, queue, args, conflict }: Start) => ({
    namespace,
    workflowId: id,
    workflowType: { name: type },
    taskQueue: { name: queue },
    input: payloads(args),
    requestId: `${id}/${Math.random()}`,
    identity,
    workflowIdReusePolicy: ALLOW_DUPLICATE,
    workflowIdConflictPolicy: conflict ?? CONFLICT.fail,
    workflowTaskTimeout: seconds(4),
  })

  return {
    namespace,
    answers,
    start: (start: Start) => ask(() => service.startWorkflowExecution(started(start))),
    signalWithStart: (start: Start) =>
      ask(() =>
        service.signalWithStartWorkflowExecution({
          ...started({ conflict: CONFLICT.useExisting, ...start }),
          signalName: start.signal?.name ?? '',
          signalInput: payloads(start.signal?.args ?? []),
        }),
      ),
    signal: (id: string, signalName: string, args: unknown[]) =>
      ask(() =>
        service.signalWorkflowExecution({
          namespace,
          workflowExecution: execution(id),
          signalName,
          input: payloads(args),
          identity,
        }),
      ),
    /** answers with what the handler answered, or with why it refused */
    async update(id: string, name: string, args: unknown[], updateId: string): Promise<string> {
      const answer = await ask(() =>
        service.updateWorkflowExecution({
          namespace,
          workflowExecution: execution(id),
          waitPolicy: { lifecycleStage: COMPLETED },
          request: { meta: { updateId, identity }, input: { name, args: payloads(args) } },
        }),
      )
      const { success, failure } = answer.outcome ?? {}
      if (failure) throw new RefusedUpdate(failure.applicationFailureInfo?.type ?? '', failure.message ?? '')
      return textsIn(success).join(' ')
    },
    query: (id: string, queryType: string, args: unknown[]) =>
      ask(() =>
        service.queryWorkflow({ namespace, execution: execution(id), query: { queryType, queryArgs: payloads(args) } }),
      ),
    cancel: (id: string) =>
      ask(() => service.requestCancelWorkflowExecution({ namespace, workflowExecution: execution(id), identity })),
    terminate: (id: string) =>
      ask(() =>
        service.terminateWorkflowExecution({ namespace, workflowExecution: execution(id), reason: 'drill', identity }),
      ),
    remove: (id: string) => ask(() => service.deleteWorkflowExecution({ namespace, workflowExecution: execution(id) })),
    reset: (id: string, event: number) =>
      ask(() =>
        service.resetWorkflowExecution({
          namespace,
          workflowExecution: execution(id),
          reason: 'drill',
          workflowTaskFinishEventId: long(event),
          requestId: `${id}/${Math.random()}`,
        }),
      ),
    async scheduleOnce(scheduleId: string, start: Start): Promise<void> {
      const { type, id, queue, args } = start
      const workflowType = { name: type }
      await ask(() =>
        service.createSchedule({
          namespace,
          scheduleId,
          identity,
          requestId: scheduleId,
          schedule: {
            spec: {},
            action: {
              startWorkflow: { workflowId: id, workflowType, taskQueue: { name: queue }, input: payloads(args) },
            },
            state: { limitedActions: true, remainingActions: long(0) },
          },
          initialPatch: { triggerImmediately: {} },
        }),
      )
    },
    unschedule: (scheduleId: string) => ask(() => service.deleteSchedule({ namespace, scheduleId, identity })),

    pollActivity: (queue: string) =>
      ask(() => service.pollActivityTaskQueue({ namespace, taskQueue: { name: queue }, identity }), POLL_MS),
    answerActivity: (taskToken: Uint8Array, result: unknown) =>
      ask(() => service.respondActivityTaskCompleted({ namespace, taskToken, result: payloads([result]), identity })),
    failActivity: (taskToken: Uint8Array, type: string, nonRetryable: boolean) =>
      ask(() =>
        service.respondActivityTaskFailed({ namespace, taskToken, failure: failure(type, nonRetryable), identity }),
      ),
    answerActivityById: (workflowId: string, activityId: string, result: unknown) =>
      ask(() =>
        service.respondActivityTaskCompletedById({
          namespace,
          workflowId,
          runId: '',
          activityId,
          result: payloads([result]),
          identity,
        }),
      ),
    failActivityById: (workflowId: string, activityId: string, type: string) =>
      ask(() =>
        service.respondActivityTaskFailedById({
          namespace,
          workflowId,
          runId: '',
          activityId,
          failure: failure(type, true),
          identity,
        }),
      ),

    pollWorkflow: (queue: string, within_ms = POLL_MS) =>
      ask(() => service.pollWorkflowTaskQueue({ namespace, taskQueue: { name: queue }, identity }), within_ms),
    answerWorkflow: (taskToken: Uint8Array, commands: Command[]) =>
      ask(() => service.respondWorkflowTaskCompleted({ namespace, taskToken, commands, identity })),
    failWorkflow: (taskToken: Uint8Array) =>
      ask(() =>
        service.respondWorkflowTaskFailed({
          namespace,
          taskToken,
          failure: failure('Drill', false),
          cause: 24,
          identity,
        }),
      ),

    async describe(id: string): Promise<{ open: boolean; pending: string[] } | undefined> {
      const answer = await ask(() => service.describeWorkflowExecution({ namespace, execution: execution(id) })).catch(
        () => undefined,
      )
      if (answer === undefined) return undefined
      return {
        open: answer.workflowExecutionInfo?.status === 1,
        pending: (answer.pendingActivities ?? []).map(({ activityId }) => activityId ?? ''),
      }
    },
    /** the events of the newest execution of this id, or of another by its run id */
    async history(workflowId: string, runId = '') {
      const events = []
      let nextPageToken: Uint8Array = new Uint8Array()
      do {
        const page = await connection.withDeadline(Date.now() + 10_000, () =>
          service.getWorkflowExecutionHistory({ namespace, execution: { workflowId, runId }, nextPageToken }),
        )
        events.push(...(page.history?.events ?? []))
        nextPageToken = page.nextPageToken ?? new Uint8Array()
      } while (nextPageToken.length > 0)
      return events
    },
    async executions(): Promise<{ id: string; run_id: string; type: string; open: boolean; started: number }[]> {
      const found = []
      let nextPageToken: Uint8Array = new Uint8Array()
      do {
        const page = await connection.withDeadline(Date.now() + 10_000, () =>
          service.listWorkflowExecutions({ namespace, pageSize: 500, nextPageToken }),
        )
        for (const { execution: each, type, status, startTime } of page.executions ?? []) {
          found.push({
            id: each?.workflowId ?? '',
            run_id: each?.runId ?? '',
            type: type?.name ?? '',
            open: status === 1,
            started: Number(String(startTime?.seconds ?? 0)) * 1_000 + 999,
          })
        }
        nextPageToken = page.nextPageToken ?? new Uint8Array()
      } while (nextPageToken.length > 0)
      return found
    },
  }
}

export function payloads(values: readonly unknown[]): Payloads {
  return { payloads: values.map((value) => defaultPayloadConverter.toPayload(value)) }
}

/** Protocol buffers count in 64 bits; the wire takes small numbers as they are. */
function long(value: number): never {
  return value as never
}

export function seconds(value: number): { seconds: never } {
  return { seconds: long(value) }
}

/** Every payload in an answer of the engine, decoded, and the answer's own words. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = []
  const visit = (each: unknown, depth: number): void => {
    if (typeof each === 'string') texts.push(each)
    else if (each instanceof Uint8Array) texts.push(Buffer.from(each).toString('utf8'))
    else if (Array.isArray(each)) for (const item of each) visit(item, depth + 1)
    else if (typeof each === 'object' && each !== null && depth < 12)
      for (const item of Object.values(each)) visit(item, depth + 1)
  }
  visit(value, 0)
  return texts
}

/** The JSON values among them. */
export function valuesIn(value: unknown): unknown[] {
  return textsIn(value).flatMap((text) => {
    if (!/^[{["]/.test(text)) return []
    try {
      return [JSON.parse(text)]
    } catch {
      return []
    }
  })
}

function failure(type: string, nonRetryable: boolean) {
  return { message: 'the drill says no', source: 'drill', applicationFailureInfo: { type, nonRetryable } }
}
