import { linearPattern } from '../text/linear-pattern.ts'
import type { AllowedProcess } from './process-schema.ts'

type Chosen = { entry: AllowedProcess } | { refused: string }

/**
 * Returns the entry of a name, where it allows these arguments, or why it does not. Each argument is matched as a whole. An argument that
 * `isKnown` denies is not looked at: a plan may be judged before all of its values are there.
 */
export function chooseProcess(
  { name, processes = [] }: { name: string; processes?: readonly AllowedProcess[] },
  { command, args }: { command: string; args: readonly string[] },
  isKnown: (argument: string) => boolean = () => true,
): Chosen {
  const entry = processes.find((each) => each.name === command)
  if (entry === undefined) {
    const listed = processes.map((each) => each.name).join(', ') || 'none'
    const refused = `environment "${name}" does not allow the process "${command}"; allowed: ${listed}; add it under processes of environments/${name}.yaml`
    return { refused }
  }
  const fault = argumentFault(entry, args, isKnown)
  return fault === undefined ? { entry } : { refused: `process "${command}": ${fault}` }
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
