import type { z } from 'zod'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import { type FollowOptions, followDirectories } from './packs/follow-directories.ts'
import { parseDocument } from './packs/parse-document.ts'
import { isRemoved, readStill, type StillOptions } from './still-file.ts'

export interface FollowedFileOptions<Schema extends z.ZodType> {
  path: string
  /** as people find it */
  name: string
  schema: Schema
  /** what holds where there is no file */
  none: z.output<Schema>
  loaded(data: z.output<Schema>): void
  log: Pick<Log, 'warn'>
  follow?: FollowOptions | undefined
}

/** Keeps a file current by polling it: its folder may hold much else. One that breaks keeps its last good version. */
export function followFile<Schema extends z.ZodType>(options: FollowedFileOptions<Schema>) {
  const { path, name, schema, follow, log } = options
  let stamp = ''
  let known = options.none
  let faults: readonly FileFault[] = []

  function reload(as_it_is: boolean): 'moving' | 'still' {
    const found = readIfChanged(path, stamp, { clock: follow?.clock, as_it_is })
    if (found === 'moving') return found
    if (found !== undefined) adopt(found)
    return 'still'
  }

  function adopt({ stamp: changed, bytes, problem }: FoundFile): void {
    stamp = changed
    const parsed = bytes === undefined ? { data: options.none } : parseDocument(schema, name, bytes)
    faults = problem === undefined ? (Array.isArray(parsed) ? parsed : []) : [{ file: name, message: problem }]
    if (faults.length > 0) log.warn({ problems: faults.map(faultText) }, `a broken ${name} keeps its last good version`)
    else if (!Array.isArray(parsed)) {
      known = parsed.data
      options.loaded(known)
    }
  }

  reload(true)
  const { close } = followDirectories([], () => reload(false), follow)
  return { known: () => known, errors: () => faults, reload: () => void reload(true), close }
}

/** No bytes and no problem: there is no file. */
interface FoundFile {
  stamp: string
  bytes?: Uint8Array
  problem?: string
}

/** undefined: as before */
function readIfChanged(path: string, before: string, options: StillOptions): FoundFile | 'moving' | undefined {
  try {
    const found = readStill(path, before, options)
    if (found === 'same') return undefined
    if (found === 'moving') return options.as_it_is ? { stamp: found, problem: 'is being written' } : found
    if (found !== 'missing') return found
    if (before === '') return undefined
    return isRemoved(path, options) ? { stamp: '' } : 'moving'
  } catch (error) {
    const problem = `cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'}`
    return problem === before ? undefined : { stamp: problem, problem }
  }
}
