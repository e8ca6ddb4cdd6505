import {
  type CalendarSpec,
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client'
import { LEDGER_QUEUE } from '#core/contract.ts'
import {
  firingWorkflowId,
  firingWorkflowIdAt,
  SCHEDULE_FIRING_WORKFLOW,
  type ScheduleFiringInput,
} from '#core/schedule/contract.ts'
import type { EngineCalendar, EngineSchedule, ScheduleEngine } from '#core/schedule/engine-spec.ts'

const DEADLINE_MS = 5_000
const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const

type Key = Pick<EngineSchedule, 'id' | 'workspace_id'>

/** Schedules of Temporal, one per row. They only tick: whether a tick starts a run is decided from the table. */
export function createTemporalSchedules(client: Client): ScheduleEngine {
  const inTime = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + DEADLINE_MS, call)
  const handle = (key: Key) => client.schedule.getHandle(engineId(key))
  return {
    async put(schedule) {
      const options = toOptions(schedule)
      try {
        await inTime(() => client.schedule.create(options))
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error
        const { scheduleId: _id, ...update } = options
        await inTime(() => handle(schedule).update(() => update))
      }
    },

    async remove(key) {
      await ignoringAbsence(() => inTime(() => handle(key).delete()))
    },

    async inspect(key) {
      const found = await ignoringAbsence(() => inTime(() => handle(key).describe()))
      if (found === undefined) return undefined
      const { state, info } = found
      return { paused: state.paused, note: state.note, next: info.nextActionTimes.map((time) => time.getTime()) }
    },

    async tick({ id, workspace_id }, nominal) {
      const args: [ScheduleFiringInput] = [{ schedule_id: id, workspace_id }]
      const options = { workflowId: firingWorkflowIdAt(id, nominal), taskQueue: LEDGER_QUEUE, args }
      try {
        await inTime(() => client.workflow.start(SCHEDULE_FIRING_WORKFLOW, options))
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      }
    },

    async list() {
      const found: Key[] = []
      for await (const { scheduleId } of client.schedule.list()) {
        const [workspace_id, id] = scheduleId.split('/')
        if (workspace_id?.startsWith('ws_') && id?.startsWith('sch_')) found.push({ id, workspace_id })
      }
      return found
    },
  }
}

async function ignoringAbsence<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined
    throw error
  }
}

function engineId({ workspace_id, id }: Key): string {
  return `${workspace_id}/${id}`
}

function toOptions(schedule: EngineSchedule) {
  const { id, workspace_id, name, timezone, jitter_s, catchup_ms, paused, note } = schedule
  const args: [ScheduleFiringInput] = [{ schedule_id: id, workspace_id }]
  return {
    scheduleId: engineId(schedule),
    spec: {
      calendars: schedule.calendars.map(toCalendar),
      // an interval of as many seconds as have passed since 1970 ends at exactly that instant, and not again for decades
      intervals: schedule.instants.map((at) => ({ every: at })),
      timezone,
      ...(jitter_s === 0 ? {} : { jitter: jitter_s * 1_000 }),
    },
    action: {
      type: 'startWorkflow',
      workflowType: SCHEDULE_FIRING_WORKFLOW,
      workflowId: firingWorkflowId(id),
      taskQueue: LEDGER_QUEUE,
      args,
      staticSummary: `Fires the schedule ${name}`,
    },
    // our own overlap rule applies to runs, which outlast the firing
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: catchup_ms, pauseOnFailure: false },
    state: { paused, note },
  } satisfies ScheduleOptions
}

function toCalendar({ second, minute, hour, day, month, weekday }: EngineCalendar): CalendarSpec {
  return {
    second,
    minute,
    hour,
    dayOfMonth: day,
    month: month.map(({ start, end }) => ({
      start: MONTHS[start - 1] ?? 'JANUARY',
      end: MONTHS[end - 1] ?? 'DECEMBER',
    })),
    dayOfWeek: weekday.map(({ start, end }) => ({
      start: WEEKDAYS[start] ?? 'SUNDAY',
      end: WEEKDAYS[end] ?? 'SATURDAY',
    })),
  }
}
