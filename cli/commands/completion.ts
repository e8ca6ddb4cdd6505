import { Argument, type Command } from 'commander'
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts'
import type { NamingApi } from '../completion/service-names.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { printable } from '../views/format.ts'

interface CompletionDeps extends Pick<CliDeps, 'out' | 'exit'> {
  api(): NamingApi
}

/** A person waits at the cursor: what takes longer is left out. */
const DEADLINE_MS = 3_000

/** `svc completion <shell>`, and the hidden command that its scripts call. */
export function registerCompletion(program: Command, deps: CompletionDeps): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and names in a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText(
      'after',
      '\nbash: source <(svc completion bash)\nzsh:  source <(svc completion zsh)\nfish: svc completion fish | source',
    )
    .action((shell: Shell) => deps.out(SCRIPTS[shell]))

  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      for (const line of await linesWithin(program, words, deps)) deps.out(line)
      deps.exit(EXIT.ok)
    })
}

/** Prints nothing on a failure: the command line is being typed. */
async function linesWithin(program: Command, words: string[], deps: CompletionDeps): Promise<string[]> {
  const late = new Promise<string[]>((resolve) => setTimeout(resolve, DEADLINE_MS, []))
  const found = async () => {
    const { candidates } = await import('../completion/candidates.ts')
    const { serviceNames } = await import('../completion/service-names.ts')
    const all = await candidates(program, words, serviceNames(deps.api()))
    return all.map(({ word, about = '' }) => `${printable(word)}\t${printable(about)}`)
  }
  return await Promise.race([found().catch(() => []), late])
}
