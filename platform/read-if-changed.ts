import { isGone, readStill, type StillOptions } from './still-file.ts'

/** No bytes and no problem: there is no file. */
export interface FoundFile {
  stamp: string
  bytes?: Uint8Array
  problem?: string
}

/** A file that one process keeps current by polling it; undefined: as before. */
export function readIfChanged(path: string, before: string, options: StillOptions): FoundFile | 'moving' | undefined {
  try {
    const found = readStill(path, before, options)
    if (found === 'same') return undefined
    if (found === 'moving') return options.as_it_is ? { stamp: found, problem: 'is being written' } : found
    if (found !== 'missing') return found
    if (before === '') return undefined
    return isGone(path, options) ? { stamp: '' } : 'moving'
  } catch (error) {
    const problem = `cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'}`
    return problem === before ? undefined : { stamp: problem, problem }
  }
}
