import { didYouMean } from '../did-you-mean.ts'
import type { Fault } from '../plan/fault.ts'

/** A fault for a name that there is not, with the one that was most likely meant; nothing where it is known or not given. */
export function named(
  what: string,
  name: string | undefined,
  known: readonly string[] | undefined,
  path: Fault['path'],
): Fault[] {
  if (name === undefined || known === undefined || known.includes(name)) return []
  return [{ path, message: `there is no ${what} ${name}${didYouMean(name, known)}` }]
}
