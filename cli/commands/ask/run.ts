import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { answerLines } from '../../ask/answer-text.ts'
import { planOfAction } from '../../ask/make-plan.ts'
import type { CliDeps } from '../../deps.ts'
import { tell } from './plan.ts'

const EXIT_HELP = `
Exit status:
  0  the plan is runnable; nothing was started
  1  it is not: an input is missing or wrong, or a check failed
  64 wrong arguments   66 nothing fits the intent   69 nothing answers   77 not logged in, or over budget
  78 no model is bound`

interface RunFlags {
  profile?: string
  model?: string
  workspace?: string
  json?: boolean
}

type AskRunDeps = Pick<CliDeps, 'api' | 'config' | 'out' | 'exit'>

/** `svc ask run "<intent>"`: a model chooses the template and the inputs; the planner decides the rest, and nothing is run. */
export function registerAskRun(ask: Command, deps: AskRunDeps): void {
  ask
    .command('run')
    .description('find the template that is meant, and plan a run of it; it is never started')
    .argument('<intent>', 'what is to be done, in words')
    .option('--profile <name>', 'the profile to run under')
    .option('--model <name>', 'the model that reads the intent, or a role of one (default: the small one)')
    .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
    .option('--json', 'print the plan as canonical JSON, as svc run --plan takes it')
    .addHelpText('after', EXIT_HELP)
    .action((intent: string, _: RunFlags, command: Command) => resolve(intent, command.optsWithGlobals(), deps))
}

async function resolve(intent: string, { profile, model, json, ...flags }: RunFlags, deps: AskRunDeps): Promise<void> {
  const workspace = flags.workspace ?? deps.config().workspace
  const api = deps.api(flags.workspace)
  const answer = await api.resolvePlan({ query: intent, ...(model !== undefined && { model }) })
  if (answer.action === null) throw new DomainError('not_found', nothingFits(answer))
  const plan = await planOfAction(api, answer.action, {
    ...(profile !== undefined && { profile }),
    ...(workspace !== undefined && { workspace }),
  })
  if (json !== true) for (const line of answerLines(answer)) deps.out(line)
  deps.exit(tell(plan, json === true, deps))
}

/** Returns the answer of a turn without a form, without the numbers of hidden sources. */
function nothingFits({ answer }: Schema<'AskAnswer'>): string {
  return `Nothing was proposed to run. The answer was: ${answer.replace(/\[\^[^\]\s]{1,20}\]/g, '')}`
}
