import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { nextFires } from '#core/schedule/next-fires.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { isoTime } from '#core/time/time.ts'
import { scheduleIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { collectPair, parseInputs } from '../parse-inputs.ts'
import { pc, printable } from '../views/format.ts'

interface CommonFlags {
  json?: boolean
  workspace?: string
}

interface TimeFlags {
  timezone: string
  days?: 'and' | 'or'
}

interface CreateFlags extends CommonFlags, TimeFlags {
  input: string[]
  inputsFile?: string
  environment?: string
  profile?: string
  catchup?: string
  overlap?: string
  jitter?: string
  paused?: boolean
}

const SHOWN = 10

/** `svc schedule`: lists, makes, pauses, resumes and deletes schedules, and shows when a cron expression fires. */
export function registerSchedule(program: Command, deps: CliDeps): void {
  const schedule = program.command('schedule').description('start runs of a template by the clock')
  const command = (usage: string, description: string) =>
    schedule
      .command(usage)
      .description(description)
      .option('--json', 'print JSON')
      .addOption(new Option('--workspace <id or name>', 'the workspace (default: SVC_WORKSPACE, else your own)'))

  command('list', 'list the schedules').action(async ({ json, workspace }: CommonFlags) => {
    const schedules = await deps.api(workspace).schedules()
    if (json) return deps.out(visibleJson(schedules))
    for (const each of schedules) deps.out(line(each))
  })

  withTime(command('create <name> <cron> <pack/template>', 'make a schedule'))
    .option('-i, --input <key=value>', 'an input of its runs, JSON where it is JSON (repeatable)', collectPair, [])
    .option('--inputs-file <file>', 'inputs as YAML or JSON; - for standard input')
    .option('--environment <name>')
    .option('--profile <name>')
    .addOption(new Option('--catchup <rule>', 'after an outage').choices(['none', 'latest', 'all']))
    .addOption(new Option('--overlap <rule>').choices(['skip', 'queue', 'cancel_previous']))
    .option('--jitter <seconds>', 'spread the starts over so many seconds')
    .option('--paused', 'make it paused')
    .action((name: string, cron: string, target: string, flags: CreateFlags) =>
      create(deps, { name, cron, target }, flags),
    )

  for (const [verb, enabled] of [
    ['pause', false],
    ['resume', true],
  ] as const) {
    command(`${verb} <schedule>`, `${verb} a schedule, named by its id or name`).action(
      async (named: string, { json, workspace }: CommonFlags) => {
        const api = deps.api(workspace)
        const changed = await api.changeSchedule(await scheduleIdOf(api, named), { enabled })
        deps.out(json ? visibleJson(changed) : line(changed))
      },
    )
  }

  command('delete <schedule>', 'delete a schedule, named by its id or name; its runs stay').action(
    async (named: string, { workspace }: CommonFlags) => {
      const api = deps.api(workspace)
      await api.deleteSchedule(await scheduleIdOf(api, named))
    },
  )

  withTime(schedule.command('next <cron>').description('print the next fires of a cron expression'))
    .option('--json', 'print JSON')
    .action((cron: string, { timezone, days, json }: TimeFlags & CommonFlags) => {
      const now = Date.now()
      const rule = compileSchedule({ cron, timezone, days, dst: { gap: 'run_at_end', fold: 'first' } }, now)
      const fires = nextFires(rule, now, SHOWN)
      if (json) return deps.out(visibleJson(fires.map(isoTime)))
      for (const fire of fires) deps.out(`${isoTime(fire)}  ${pc.dim(localTime(fire, timezone))}`)
    })
}

function withTime(command: Command): Command {
  return command
    .option('--timezone <name>', 'IANA name', 'UTC')
    .addOption(
      new Option('--days <rule>', 'how a day of the month and one of the week go together').choices(['and', 'or']),
    )
}

async function create(
  deps: CliDeps,
  { name, cron, target }: { name: string; cron: string; target: string },
  flags: CreateFlags,
): Promise<void> {
  const [pack = '', template = ''] = target.split('/')
  const file = flags.inputsFile === undefined ? {} : { file: flags.inputsFile }
  const { timezone, days, environment, profile, catchup, overlap, jitter } = flags
  const inputs = await parseInputs({ ...file, pairs: flags.input }, deps.readInput)
  const made = await deps.api(flags.workspace).createSchedule({
    name,
    cron,
    timezone,
    pack,
    template,
    inputs,
    ...Object.fromEntries(
      Object.entries({ days, environment, profile, catchup, overlap }).filter(([, value]) => value !== undefined),
    ),
    ...(jitter !== undefined && { jitter_s: Number(jitter) }),
    ...(flags.paused ? { enabled: false } : {}),
  })
  if (flags.json) return deps.out(visibleJson(made))
  deps.out(line(made))
  for (const fire of made.next_fires.slice(0, 3))
    deps.out(`  ${fire}  ${pc.dim(localTime(Date.parse(fire), timezone))}`)
  const { effect, gate_possible } = made.policy_forecast
  deps.out(pc.dim(`  policies say ${effect}${gate_possible ? '; its runs may wait for an approval' : ''}`))
}

function line({
  id,
  name,
  cron,
  timezone,
  pack,
  template,
  enabled,
  source,
  next_fire_at,
  last_fire,
}: Schema<'Schedule'>): string {
  const state = enabled ? `next ${next_fire_at ?? 'never'}` : 'paused'
  const last =
    last_fire === undefined ? '' : `  last ${last_fire.outcome}${last_fire.reason ? ` (${last_fire.reason})` : ''}`
  return printable(`${id}  ${name}  ${cron}  ${timezone}  ${pack}/${template}  ${source}  ${state}${last}`)
}

function localTime(at: number, timezone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'full', timeStyle: 'long' }).format(at)
}
