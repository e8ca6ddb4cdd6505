import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { nearestName } from '#core/nearest-name.ts'
import type { FailureCode } from '#core/run/failure-codes.ts'
import { isStartRefusal } from '#core/trigger/outcome.ts'
import { visibleJson } from '#core/visible-text.ts'
import type { ApiClient } from '../api-client.ts'
import { ApiProblem } from '../api-problem.ts'
import type { CliDeps } from '../deps.ts'
import { describeProblem } from '../describe-problem.ts'
import { ensureService } from '../ensure-service.ts'
import { EXIT, exitCodeOfProblem } from '../exit-codes.ts'
import { noTemplateText } from '../no-template.ts'
import { collectPair, parseInputs } from '../parse-inputs.ts'
import { printable } from '../printable.ts'
import { answerAlways, answerByPerson, answerNever, type GateAnswerer } from '../watch/answer-gate.ts'
import { jsonReport, type Report, textReport } from '../watch/report.ts'
import { watchRun } from '../watch/watch-run.ts'
import { registerRunShow } from './run-show.ts'

/** Exit codes of this command beside the common ones. */
const RUN_EXIT = { succeeded: EXIT.ok, failed: EXIT.failed, denied: 2, stopped: 3, left: EXIT.conflict } as const

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
  64 wrong arguments   66 no such template   69 nothing answers   75 left at a gate   77 not logged in`

interface RunFlags {
  input: string[]
  inputs?: string
  interactive?: boolean
  yes?: boolean
  environment?: string
  profile?: string
  dryRun?: boolean
  reason?: string
  json?: boolean
  detach?: boolean
  workspace?: string
}

/** `svc run <pack>/<template>`: starts a run and follows it to its end; `-I` answers its gates in the terminal. */
export function registerRun(program: Command, deps: CliDeps): void {
  const run = program
    .command('run')
    .description('start a run of a template and follow it to its end; `svc run show <run>` shows one')
    .argument('<pack/template>', 'what to run')
    .option('-i, --input <key=value>', 'an input, JSON where it is JSON (repeatable)', collectPair, [])
    .option('--inputs <file>', 'inputs from a YAML or JSON file, - for standard input')
    .option('-I, --interactive', 'ask at each gate in this terminal; starts the service when none runs here')
    .option('--yes', 'approve each gate without asking')
    .option('--environment <name>', 'where it acts')
    .option('--profile <name>', 'the profile to run under')
    .option('--dry-run', 'act on nothing, ask nobody, and show what each step would do')
    .option('--reason <text>', 'why, for those who approve and for the record')
    .option('--json', 'print the events and the run as JSON lines')
    .option('--detach', 'print the run and do not follow it')
    .option('--workspace <id>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
    .addHelpText('after', EXIT_HELP)
    .action((name: string, flags: RunFlags) => runTemplate(name, flags, deps))
  registerRunShow(run, deps)
}

async function runTemplate(name: string, flags: RunFlags, deps: CliDeps): Promise<void> {
  const [, pack, template] = /^([^/]+)\/([^/]+)$/.exec(name) ?? []
  if (pack === undefined || template === undefined) throw new DomainError('validation_failed', notATemplate(name))
  refuseContradictions(flags, deps)
  const source = { pairs: flags.input, ...(flags.inputs === undefined ? {} : { file: flags.inputs }) }
  const request = requestOf(flags, await parseInputs(source, deps.readInput))
  const api = deps.api(flags.workspace)
  const local = deps.config().apiUrl === deps.config().localUrl
  const stopOwn = flags.interactive && local ? await ensureService(api, deps) : undefined
  let code: number
  try {
    code = await startAndFollow(api, { pack, template, request }, flags, deps)
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

async function startAndFollow(
  api: ApiClient,
  { pack, template, request }: { pack: string; template: string; request: Schema<'RunRequest'> },
  flags: RunFlags,
  deps: CliDeps,
): Promise<number> {
  try {
    const started = await api.start(pack, template, request).catch(async (error: unknown) => {
      throw await noTemplate(error, api, `${pack}/${template}`)
    })
    if (flags.detach) {
      deps.out(flags.json ? visibleJson(started) : printable(started.id))
      return RUN_EXIT.succeeded
    }
    const report = flags.json ? jsonReport(deps.out, deps.err) : textReport(deps.out)
    report.say(`run ${printable(started.id)}`)
    const run = await watchRun({ api, run_id: started.id, report, onGate: answererOf(flags, api, report).answer })
    report.run(run)
    if (madeReport(run)) report.say(`its report: svc run show ${printable(run.id)} --report`)
    if (run.status === 'awaiting_approval') report.say(`it waits on: svc remote approve ${printable(run.id)}`)
    return run.error?.code === ('PolicyDenied' satisfies FailureCode) ? RUN_EXIT.denied : EXIT_OF_STATUS[run.status]
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    for (const line of describeProblem(error, flags.json)) deps.err(line)
    return isStartRefusal(error.code) ? RUN_EXIT.denied : exitCodeOfProblem(error)
  }
}

function madeReport({ progress }: Schema<'Run'>): boolean {
  return progress.steps.some(({ operator, state }) => operator === 'report.render' && state === 'succeeded')
}

function answererOf(flags: RunFlags, api: ApiClient, report: Report): GateAnswerer {
  if (flags.yes) return answerAlways(api, report, { decision: 'approve', note: 'approved with --yes' })
  return flags.interactive ? answerByPerson(api, report, {}) : answerNever(report)
}

function requestOf(flags: RunFlags, inputs: Record<string, unknown>): Schema<'RunRequest'> {
  const { environment, profile, dryRun, reason } = flags
  return {
    inputs,
    ...(environment === undefined ? {} : { environment }),
    ...(profile === undefined ? {} : { profile }),
    ...(dryRun === undefined ? {} : { dry_run: dryRun }),
    ...(reason === undefined ? {} : { reason }),
  }
}

/** A template that does not exist is answered with the one that was most likely meant. */
async function noTemplate(error: unknown, api: ApiClient, named: string): Promise<unknown> {
  if (!(error instanceof ApiProblem) || error.status !== 404) return error
  const templates = await api.packs().catch(() => undefined)
  if (templates === undefined || templates.some((each) => `${each.pack}/${each.template}` === named)) return error
  return new DomainError('not_found', noTemplateText(named, templates))
}

function notATemplate(name: string): string {
  const hint = /^run_/.test(name)
    ? `a run is shown with: svc run show ${name}`
    : nearestName(name, ['show']) === undefined
      ? 'see which there are with: svc templates'
      : 'did you mean svc run show?'
  return `name the template as pack/template, not ${JSON.stringify(name)}; ${hint}`
}
