import { didYouMean } from '../did-you-mean.ts'
import { hasName } from '../has-name.ts'
import type { Fault } from '../plan/fault.ts'

/** What nothing here does yet may come with the next pack, unless it is nearly what something does. */
export function likely(what: string, name: string, known: readonly string[], path: Fault['path']): Fault[] {
  if (hasName(known, name)) return []
  const hint = didYouMean(name, known)
  return [{ path, message: `no operator and no template has the ${what} ${name}${hint}`, warning: hint === '' }]
}
