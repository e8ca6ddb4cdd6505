import { inject } from 'vitest'
import type { Missing, Program, ProgramName, Provided } from './program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    programs: Provided
  }
  interface TaskMeta {
    /** programs without which it does not run here */
    missing?: ProgramName[]
  }
}

/**
 * Options of a test or a suite that drives programs of others. Where one of them cannot be had it does not run, and the end of
 * the run says so. The names are read from the source by the global setup, so they stand here as literals.
 */
export function needs(...names: ProgramName[]): { skip: boolean; meta: { missing: ProgramName[] } } {
  const missing = names.filter((name) => 'why' in provided(name))
  return { skip: missing.length > 0, meta: { missing } }
}

/** A program that `needs` has asked for. */
export function programOf(name: ProgramName): Program {
  const found = provided(name)
  if ('why' in found) throw new Error(`${name}: ${found.why}`)
  return found
}

function provided(name: ProgramName): Program | Missing {
  const found = inject('programs')?.[name]
  if (found === undefined) throw new Error(`${name} was not provided: ask for it by needs('${name}')`)
  return found
}
