import type { FileFault } from '#core/file-fault.ts'
import { checkStartNames } from '#core/names/check-start-names.ts'
import type { KnownNames } from '#core/names/known-names.ts'
import type { Fault } from '#core/plan/fault.ts'
import { ScheduleFile } from '#core/schedule/schema.ts'
import { parseAsMeant } from '#platform/packs/parse-document.ts'

/** What the schedules of a file name and is not there. */
export function scheduleNames(file: string, bytes: Uint8Array, known: KnownNames): FileFault[] {
  const { meant } = parseAsMeant(ScheduleFile, file, bytes)
  if (meant === undefined) return []
  return meant.data
    .flatMap(({ pack, template, config_preset, ...rest }, index): Fault[] => [
      ...checkStartNames({ run: `${pack}/${template}`, ...rest }, { run: [index, 'template'], at: [index] }, known),
      ...(config_preset === undefined
        ? []
        : [{ path: [index, 'config_preset'], message: 'a file names no config preset: give the inputs' }]),
    ])
    .map(meant.place)
}
