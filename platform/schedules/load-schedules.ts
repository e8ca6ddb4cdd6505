import { DomainError } from '#core/errors.ts'
import type { FileFault } from '#core/file-fault.ts'
import type { Fault } from '#core/plan/fault.ts'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { type DeclaredSchedule, ScheduleFile } from '#core/schedule/schema.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'

/** A fixed start, so that a file is sound or not whenever it is read. */
const SOME_TIME = Date.UTC(2026, 0, 1)

export type LoadedSchedules = { schedules: DeclaredSchedule[] } | { faults: FileFault[] }

/** Reads a file of schedules: all of them, or everything that is wrong with them. Templates and inputs are checked later. */
export function loadSchedules(
  bytes: Uint8Array,
  origin: { source: DeclaredSchedule['source']; file: string },
): LoadedSchedules {
  const parsed = parseDocument(ScheduleFile, origin.file, bytes)
  if (Array.isArray(parsed)) return { faults: parsed }
  const { data, yaml } = parsed
  const faults = data.flatMap((each, index): Fault[] => [
    ...(data.findIndex(({ name }) => name === each.name) < index
      ? [{ path: [index, 'name'], message: `schedule name ${each.name} is used twice` }]
      : []),
    ...timeFaults(each, index),
  ])
  if (faults.length > 0) return { faults: faults.map(yaml.place) }
  return {
    schedules: data.map((each, index) => ({
      ...each,
      source: origin.source,
      origin: origin.file,
      line: yaml.place({ path: [index, 'name'], message: '' }).line,
    })),
  }
}

function timeFaults(each: ScheduleFile[number], index: number): Fault[] {
  try {
    compileSchedule(each, SOME_TIME)
    return []
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const { column } = error.details
    return (error.details.errors ?? []).map(({ loc, msg }) => ({
      path: [index, ...loc],
      message: msg,
      ...(loc[0] === 'cron' && typeof column === 'number' ? { offset: column - 1 } : {}),
    }))
  }
}
