import { type Command, Option } from 'commander'
import { makePlan, type StartRequest } from '../../ask/make-plan.ts'
import { showPlan } from '../../ask/show-plan.ts'
import { planText, type StartPlan } from '../../ask/start-plan.ts'
import { orNearest, templateNamed } from '../../client/no-template.ts'
import type { CliDeps } from '../../deps.ts'
import { EXIT } from '../../exit-codes.ts'
import { collectPair, parseInputs } from '../../parse-inputs.ts'

const EXIT_HELP = `
Exit status:
  0  the plan is runnable
  1  it is not: an input is missing or wrong, or a check failed
  64 wrong arguments   66 no such template   69 nothing answers   77 not logged in`

interface PlanFlags {
  input: string[]
  inputsFile?: string
  inputs?: string
  environment?: string
  profile?: string
  configPreset?: string
  workspace?: string
  json?: boolean
}

type PlanDeps = Pick<CliDeps, 'api' | 'config' | 'out' | 'exit' | 'readInput'>

/** `svc ask plan <pack>/<template>`: the plan of a known template, without any model. The exit code tells whether it can run. */
export function registerAskPlan(ask: Command, deps: PlanDeps): void {
  ask
    .command('plan')
    .description('plan a run of a template, without a model: what it would be, meet and need; nothing is started')
    .argument('<pack/template>', 'what to plan')
    .option('-i, --input <key=value>', 'an input, JSON where it is JSON (repeatable)', collectPair, [])
    .option('--inputs-file <file>', 'inputs from a YAML or JSON file, - for standard input')
    .addOption(new Option('--inputs <file>', 'the same, as svc run calls it').hideHelp())
    .option('--environment <name>', 'where it acts')
    .option('--profile <name>', 'the profile to run under')
    .option('--config-preset <name>', 'the config preset that fills in inputs')
    .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
    .option('--json', 'print the plan as canonical JSON, as svc run --plan takes it')
    .addHelpText('after', EXIT_HELP)
    .action((name: string, _: PlanFlags, command: Command) => plan(name, command.optsWithGlobals(), deps))
}

async function plan(name: string, flags: PlanFlags, deps: PlanDeps): Promise<void> {
  const { environment, profile, configPreset, json } = flags
  const file = flags.inputsFile ?? flags.inputs
  const inputs = await parseInputs({ pairs: flags.input, ...(file !== undefined && { file }) }, deps.readInput)
  const workspace = flags.workspace ?? deps.config().workspace
  const named = templateNamed(name)
  const api = deps.api(flags.workspace)
  const request: StartRequest = {
    ...named,
    inputs,
    ...(environment !== undefined && { environment }),
    ...(profile !== undefined && { profile }),
    ...(configPreset !== undefined && { config_preset: configPreset }),
    ...(workspace !== undefined && { workspace }),
  }
  deps.exit(tell(await orNearest(api, name, makePlan(api, request)), json === true, deps))
}

/** Prints a plan; the status that it ends with is its verdict. */
export function tell(plan: StartPlan, json: boolean, deps: Pick<CliDeps, 'out'>): number {
  if (json) deps.out(planText(plan))
  else showPlan(plan, deps)
  return plan.runnable ? EXIT.ok : EXIT.failed
}
