import { type Command, InvalidArgumentError, Option } from 'commander'
import { SUMMARY_WINDOWS } from '#core/models/gateway-summary-schema.ts'
import { MODEL_PROVIDERS, MODEL_ROLES } from '#core/models/model.ts'
import type { MicroUsd } from '#core/money.ts'
import type { CliDeps } from '../deps.ts'
import { type AddFlags, addModel } from '../models/add-model.ts'
import { changeRoles } from '../models/change-roles.ts'
import { listModels } from '../models/list-models.ts'
import { probeModels } from '../models/probe-models.ts'
import { SPEND_BY, showSpend } from '../models/show-spend.ts'
import { wholeNumber } from '../views/format.ts'
import { withOutput } from '../views/list-output.ts'

const STATUS = {
  add: '\nExit status: 0 added, 1 the probe failed and nothing was saved, 64 models.yaml would refuse it, 69 no service to probe with, 75 the call was refused for now, 77 refused.',
  probe:
    '\nExit status: 0 every model answered, 1 one did not, 66 there is no such model, 75 the call was refused for now, 77 refused.',
  roles:
    '\nExit status: 0 done, 64 there is no such role or model, 75 they were changed by another user, 77 it takes an owner or admin.',
}

/** `svc models`: the models, their costs, and probes. */
export function registerModels(program: Command, deps: CliDeps): void {
  const models = program.command('models').description('models: which there are, what they cost, whether they answer')
  withOutput(models.command('list').description('list the models, and why some of them are never called')).action(
    (flags) => listModels(deps, flags),
  )
  registerAdd(models, deps)
  models
    .command('roles [changes...]')
    .description(
      'show which models the roles are, or say it over models.yaml: small=<model>, judge=<model>,<fallback>; small= takes it back',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', STATUS.roles)
    .action((changes: string[], flags: { json?: boolean }) => changeRoles(deps, changes, flags))
  models
    .command('probe <model...>')
    .description('ask each model one tiny question: a real call, which costs and is on record')
    .option('--json', 'print JSON')
    .addHelpText('after', STATUS.probe)
    .action((ids: string[], flags: { json?: boolean }) => probeModels(deps, ids, flags))
  models
    .command('spend')
    .description('what calls of models cost in this workspace, and what was refused')
    .addOption(new Option('--window <span>', 'how far back').choices([...SUMMARY_WINDOWS]).default('7d'))
    .addOption(new Option('--by <what>', 'how it is divided').choices(SPEND_BY).default('model'))
    .option('--limit <n>', 'at most so many lines', wholeNumber(100), 20)
    .option('--json', 'print JSON')
    .action((flags) => showSpend(deps, flags))
}

function registerAdd(models: Command, deps: CliDeps): void {
  models
    .command('add <id>')
    .description('add a model to models.yaml in the data directory of this machine, once it has answered a probe')
    .addOption(new Option('--provider <name>', 'who provides it').choices([...MODEL_PROVIDERS]).makeOptionMandatory())
    .option('--base-url <url>', 'its endpoint')
    .option('--key <reference>', 'where its key is: env:NAME or file:path, never the key')
    .option('--model <name>', 'its name at the provider (default: the id)')
    .option('--price-in <usd>', 'US dollars for a million tokens in (default: as the catalogue says)', perMillion)
    .option('--price-out <usd>', 'US dollars for a million tokens out', perMillion)
    .option('--price-cached-in <usd>', 'the same for input that the provider had kept', perMillion)
    .option('--price-cache-write <usd>', 'the same for input that the provider keeps', perMillion)
    .option('--context <tokens>', 'longest prompt with its answer', wholeNumber(100_000_000))
    .option('--output <tokens>', 'longest answer', wholeNumber(100_000_000))
    .option('--timeout <span>', 'longest wait, such as 30s')
    .addOption(new Option('--role <role...>', 'roles that it has').choices([...MODEL_ROLES]))
    .option('--no-probe', 'save it without asking it')
    .option('--json', 'print JSON')
    .addHelpText('after', STATUS.add)
    .action((id: string, flags: AddFlags) => addModel(deps, id, flags))
}

/** US dollars for a million tokens, as the micro-dollars of `models.yaml`: exact, so that 0.15 is 150000. */
function perMillion(text: string): MicroUsd {
  const [, whole, fraction = ''] = /^(\d{1,5})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  if (whole === undefined)
    throw new InvalidArgumentError('US dollars with at most six decimals, such as 0.15; 0 where it costs nothing')
  return Number(`${whole}${fraction.padEnd(6, '0')}`)
}
