import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { readPlan } from './ask/start-plan.ts'
import { templateNamed } from './client/no-template.ts'
import { parseInputs, parsePair, readSource } from './parse-inputs.ts'

/** The options of a start. */
export interface StartFlags {
  input: string[]
  inputs?: string
  environment?: string
  profile?: string
  configPreset?: string
  plan?: string
  planHash?: string
  dryRun?: boolean
  reason?: string
  workspace?: string
}

/** A start for the API. */
export interface RequestedStart {
  pack: string
  template: string
  request: Schema<'RunRequest'>
  workspace?: string
}

/** Builds the start of a command line: from its arguments, or from a plan. Throws `plan_changed` for an edited plan. */
export async function startOf(
  name: string | undefined,
  flags: StartFlags,
  readInput: () => Promise<string>,
): Promise<RequestedStart> {
  if (flags.plan !== undefined) {
    refuseBesidePlan(name, flags)
    return plannedStart(await readSource(flags.plan, readInput, 'plan'), flags)
  }
  if (name === undefined) throw wrong('name the template as pack/template, or give a plan with --plan')
  const { inputs: file, environment, profile, configPreset, planHash, dryRun, workspace } = flags
  const named = templateNamed(name)
  const inputs = await parseInputs({ pairs: flags.input, ...(file !== undefined && { file }) }, readInput)
  return {
    ...named,
    ...(workspace !== undefined && { workspace }),
    request: {
      inputs,
      ...(environment !== undefined && { environment }),
      ...(profile !== undefined && { profile }),
      ...(configPreset !== undefined && { config_preset: configPreset }),
      ...(planHash !== undefined && { plan_hash: planHash }),
      ...(dryRun !== undefined && { dry_run: dryRun }),
      ...reasonOf(flags),
    },
  }
}

/** Reads a start from a plan, with the secrets that it needs. Both hashes are sent: the service checks them now. */
function plannedStart(text: string, flags: StartFlags): RequestedStart {
  const plan = readPlan(text)
  if (!plan.runnable) throw wrong('this plan is not runnable: mend what it names, and make it again with svc ask plan')
  const { pack, template, workspace, environment, profile, config_preset, template_digest, plan_hash } = plan
  const given = Object.fromEntries(flags.input.map(parsePair))
  const other = Object.keys(given).find((input) => !plan.secrets.includes(input))
  if (other !== undefined) throw wrong(`the plan says what ${other} is: make another with svc ask plan`)
  const absent = plan.secrets.filter((secret) => !Object.hasOwn(given, secret))
  if (absent.length > 0)
    throw wrong(`give the secrets of the plan again: ${absent.map((each) => `-i ${each}=…`).join(' ')}`)
  return {
    pack,
    template,
    ...(workspace !== null && { workspace }),
    request: {
      inputs: { ...plan.inputs, ...given },
      ...(environment !== null && { environment }),
      ...(profile !== null && { profile }),
      ...(config_preset !== null && { config_preset }),
      template_digest,
      plan_hash,
      ...reasonOf(flags),
    },
  }
}

function refuseBesidePlan(name: string | undefined, flags: StartFlags): void {
  const given = {
    [name ?? '']: name,
    '--inputs': flags.inputs,
    '--environment': flags.environment,
    '--profile': flags.profile,
    '--config-preset': flags.configPreset,
    '--plan-hash': flags.planHash,
    '--dry-run': flags.dryRun,
    '--workspace': flags.workspace,
  }
  const [first] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
  if (first !== undefined) throw wrong(`--plan says what runs and where: leave out ${first}`)
}

function reasonOf({ reason }: StartFlags): { reason?: string } {
  return reason === undefined ? {} : { reason }
}

function wrong(message: string): DomainError {
  return new DomainError('validation_failed', message)
}
