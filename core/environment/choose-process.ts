import { linearPattern } from '../text/linear-pattern.ts'
import type { AllowedProcess } from './process-schema.ts'

type Chosen = { entry: AllowedProcess } | { refused: string }

/**
 * Returns the entry that allows a command with these arguments, or why none does. Each argument is matched as a whole. An argument that
 * `isKnown` denies is not looked at: a plan may be judged before all of its values are there.
 */
export function chooseProcess(
  { name, processes = [] }: { name: string; processes?: readonly AllowedProcess[] },
  { command, args }: { command: string; args: readonly string[] },
  isKnown: (argument: string) => boolean = () => true,
): Chosen {
  const named = processes.filter((each) => each.name === command || each.command === command)
  if (named.length === 0) {
    const listed = processes.map((each) => each.name).join(', ') || 'none'
    const refused = `environment "${name}" does not allow the process "${command}"; allowed: ${listed}; add it under processes of environments/${name}.yaml`
    return { refused }
  }
  const faults = named.map((entry) => ({ entry, fault: argumentFault(entry, args, isKnown) }))
  const fitting = faults.find(({ fault }) => fault === undefined)
  if (fitting !== undefined) return { entry: fitting.entry }
  return { refused: faults.map(({ entry, fault }) => `process "${entry.name}": ${fault}`).join('; ') }
}

function argumentFault(
  { args: wanted, rest }: AllowedProcess,
  args: readonly string[],
  isKnown: (argument: string) => boolean,
): string | undefined {
  if (args.length < wanted.length || (args.length > wanted.length && rest === undefined))
    return `takes ${wanted.length}${rest === undefined ? '' : ' or more'} arguments, and there are ${args.length}`
  for (const [index, argument] of args.entries()) {
    const pattern = wanted[index] ?? rest ?? ''
    if (isKnown(argument) && !linearPattern(pattern).matcher(argument).matches())
      return `argument ${index + 1} does not match ${pattern}`
  }
  return undefined
}
