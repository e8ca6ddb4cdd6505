import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError, type ErrorCode } from '#core/errors.ts'
import type { FailureCode } from '#core/run/failure-codes.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { isStartRefusal } from '#core/trigger/outcome.ts'
import { describeProblem } from '../client/api-answers.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { describeFailure } from '../client/describe-failure.ts'
import { orNearest } from '../client/no-template.ts'
import type { CliDeps } from '../deps.ts'
import { ensureService } from '../ensure-service.ts'
import { EXIT, exitCodeOfProblem } from '../exit-codes.ts'
import { collectPair } from '../parse-inputs.ts'
import { type RequestedStart, type StartFlags, startOf } from '../requested-start.ts'
import { printable } from '../views/format.ts'
import { answerAlways, answerByPerson, answerNever, type GateAnswerer } from '../watch/answer-gate.ts'
import { jsonReport, type Report, textReport } from '../watch/report.ts'
import { watchRun } from '../watch/watch-run.ts'
import { registerRunShow } from './run-show.ts'

/** Exit codes of this command besides the common ones. */
const RUN_EXIT = {
  succeeded: EXIT.ok,
  failed: EXIT.failed,
  denied: 2,
  stopped: 3,
  changed: 4,
  left: EXIT.conflict,
} as const

const EXIT_OF_STATUS: Record<Schema<'Run'>['status'], number> = {
  succeeded: RUN_EXIT.succeeded,
  failed: RUN_EXIT.failed,
  rejected: RUN_EXIT.denied,
  expired: RUN_EXIT.stopped,
  cancelled: RUN_EXIT.stopped,
  queued: RUN_EXIT.left,
  running: RUN_EXIT.left,
  cancelling: RUN_EXIT.left,
  awaiting_approval: RUN_EXIT.left,
}

const EXIT_HELP = `
Exit status:
  0  succeeded (with --detach: started)
  1  failed
  2  rejected, or denied by a policy
  3  expired or cancelled
  4  the plan is not the one that was shown; nothing was started
  64 wrong arguments   66 no such template   69 nothing answers   75 left at a gate   77 not logged in`

export interface RunFlags extends StartFlags {
  interactive?: boolean
  yes?: boolean
  json?: boolean
  detach?: boolean
}

/** `svc run <pack>/<template>`: starts a run and follows it to its end; `-I` answers its gates in the terminal. */
export function registerRun(program: Command, deps: CliDeps): void {
  const run = program
    .command('run')
    .description('start a run of a template and follow it to its end; `svc run show <run>` shows one')
    .argument('[pack/template]', 'what to run, unless --plan says it')
    .option('-i, --input <key=value>', 'an input, JSON where it is JSON (repeatable)', collectPair, [])
    .option('--inputs <file>', 'inputs from a YAML or JSON file, - for standard input')
    .option('-I, --interactive', 'ask at each gate in this terminal; starts the service when none runs here')
    .option('--yes', 'approve each gate without asking')
    .option('--environment <name>', 'where it acts')
    .option('--profile <name>', 'the profile to run under')
    .option('--config-preset <name>', 'the config preset that fills in inputs')
    .option('--plan <file>', 'run exactly this plan of svc ask plan --json, - for standard input')
    .option('--plan-hash <hash>', 'run only what a plan showed; anything else starts nothing')
    .option('--dry-run', 'act on nothing, need no approval, and show what each step would do')
    .option('--reason <text>', 'why, for those who approve and for the record')
    .option('--json', 'print the events and the run as JSON lines')
    .option('--detach', 'print the run and do not follow it')
    .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
    .addHelpText('after', EXIT_HELP)
    .action((name: string | undefined, flags: RunFlags) => runTemplate(name, flags, deps))
  registerRunShow(run, deps)
}

async function runTemplate(name: string | undefined, flags: RunFlags, deps: CliDeps): Promise<void> {
  refuseContradictions(flags, deps)
  const start = await startOf(name, flags, deps.readInput).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'plan_changed') return refuseEdited(error, flags, deps)
    throw error
  })
  const api = deps.api(start.workspace)
  const local = deps.config().apiUrl === deps.config().localUrl
  const stopOwn = flags.interactive && local ? await ensureService(api, deps) : undefined
  let code: number
  try {
    code = await startAndFollow(api, start, flags, deps)
  } finally {
    await stopOwn?.()
  }
  deps.exit(code)
}

function refuseContradictions({ interactive, yes, json, detach }: RunFlags, deps: CliDeps): void {
  const refuse = (why: string) => {
    throw new DomainError('validation_failed', why)
  }
  if (detach && (interactive || yes)) refuse('--detach does not meet the gates that -I and --yes are for')
  if (interactive && json && !yes) refuse('-I asks in words: leave out --json, or answer with --yes')
  if (interactive && !yes && !deps.interactive) refuse('-I needs a terminal to ask at: without one, use --yes')
}

/** Starts a run and follows it; answers with the exit code that says how it ended. */
export async function startAndFollow(
  api: ApiClient,
  start: RequestedStart,
  flags: RunFlags,
  deps: CliDeps,
): Promise<number> {
  const { pack, template, request } = start
  try {
    const started = await orNearest(api, `${pack}/${template}`, api.start(pack, template, request))
    if (flags.detach) {
      deps.out(flags.json ? visibleJson(started) : printable(started.id))
      return RUN_EXIT.succeeded
    }
    const report = flags.json ? jsonReport(deps.out, deps.err) : textReport(deps.out)
    report.say(`run ${printable(started.id)}`)
    const run = await watchRun({ api, run_id: started.id, report, onGate: answererOf(flags, api, report).answer })
    report.run(run)
    if (hasReport(run)) report.say(`its report: svc run show ${printable(run.id)} --report`)
    if (run.status === 'awaiting_approval') report.say(`it waits on: svc remote approve ${printable(run.id)}`)
    return run.error?.code === ('PolicyDenied' satisfies FailureCode) ? RUN_EXIT.denied : EXIT_OF_STATUS[run.status]
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    for (const line of describeProblem(error, flags.json)) deps.err(line)
    if (error.code === ('plan_changed' satisfies ErrorCode)) {
      if (!flags.json)
        deps.err(`nothing was started; see what it would be now with: svc ask plan ${printable(`${pack}/${template}`)}`)
      return RUN_EXIT.changed
    }
    return isStartRefusal(error.code) ? RUN_EXIT.denied : exitCodeOfProblem(error)
  }
}

function refuseEdited(error: DomainError, { json = false }: RunFlags, deps: Pick<CliDeps, 'err' | 'exit'>): never {
  for (const line of describeFailure(error, json)?.lines ?? []) deps.err(line)
  return deps.exit(RUN_EXIT.changed)
}

function hasReport({ progress }: Schema<'Run'>): boolean {
  return progress.steps.some(({ operator, state }) => operator === 'report.render' && state === 'succeeded')
}

function answererOf(flags: RunFlags, api: ApiClient, report: Report): GateAnswerer {
  if (flags.yes) return answerAlways(api, report, { decision: 'approve', note: 'approved with --yes' })
  return flags.interactive ? answerByPerson(api, report, {}) : answerNever(report)
}
