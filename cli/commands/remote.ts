import { setTimeout } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { isTerminal } from '#core/run/status.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { describeProblem } from '../client/api-answers.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { runIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT, exitCodeOfProblem } from '../exit-codes.ts'
import { pc } from '../views/format.ts'
import { answerAlways, answerByPerson, decide } from '../watch/answer-gate.ts'
import { jsonReport, textReport } from '../watch/report.ts'
import { watchRun } from '../watch/watch-run.ts'

/** Exit codes of these commands besides the common ones. */
const REMOTE_EXIT = { done: EXIT.ok, failed: EXIT.failed, refused: 2, not_awaiting: 3, plan_changed: 4 } as const

/** Exit codes of errors when a gate is answered. */
export const EXIT_OF_ANSWER: Record<string, number> = {
  forbidden: REMOTE_EXIT.refused,
  policy_denied: REMOTE_EXIT.refused,
  frozen: REMOTE_EXIT.refused,
  approver_not_allowed: REMOTE_EXIT.refused,
  self_approval: REMOTE_EXIT.refused,
  note_required: REMOTE_EXIT.refused,
  workspace_archived: REMOTE_EXIT.refused,
  run_not_awaiting: REMOTE_EXIT.not_awaiting,
  gate_resolved: REMOTE_EXIT.not_awaiting,
  run_terminal: REMOTE_EXIT.not_awaiting,
  plan_changed: REMOTE_EXIT.plan_changed,
}

/** so often an answer waits for its turn under the limit of requests */
const MAX_WAITS = 30

const EXIT_HELP = `
Exit status:
  0  decided, of several runs all of them (with --watch: and the run ended as decided)
  1  with --watch: approved, but the run did not succeed
  2  refused: the caller may not decide this, or a note is missing
  3  nothing waits for an answer, or another answer won
  4  the plan is not the one that was shown or named
  of several runs that of the first that was not answered
  64 wrong arguments   66 no such run   69 nothing answers   75 with --watch: left undecided   77 not logged in`

interface RemoteFlags {
  note?: string
  planHash?: string
  as?: string
  watch?: boolean
  json?: boolean
  workspace?: string
}

/** `svc remote approve|reject <run_id...>`: answers gates from the command line. */
export function registerRemote(program: Command, deps: CliDeps): void {
  const remote = program.command('remote').description('answer the gates of runs')
  for (const verb of ['approve', 'reject'] as const) {
    remote
      .command(verb)
      .description(`${verb} what runs wait for, each as it is shown`)
      .argument('<run_id...>', 'the runs that wait: their ids, or the first characters of them')
      .option('--note <text>', 'kept with the decision; some gates need one')
      .option('--plan-hash <hash>', 'decide only when this is the plan (default: the one that is shown); of one run')
      .option('--as <approver>', 'who decides, where that is not the caller')
      .option(
        '--watch',
        'follow the run, answer each gate that it meets (asks at a terminal), until it ends; of one run',
      )
      .option('--json', 'print JSON; never asks')
      .addOption(
        new Option('--workspace <id or name>', 'the workspace of the run (default: SVC_WORKSPACE, else your own)'),
      )
      .addHelpText('after', EXIT_HELP)
      .action((runIds: string[], flags: RemoteFlags) => answerRemotely(verb, runIds, flags, deps))
  }
}

async function answerRemotely(
  verb: 'approve' | 'reject',
  named: string[],
  flags: RemoteFlags,
  deps: CliDeps,
): Promise<void> {
  const api = deps.api(flags.workspace)
  const decision: Schema<'ApprovalDecision'> = {
    decision: verb,
    ...(flags.note !== undefined && { note: flags.note }),
    ...(flags.planHash !== undefined && { plan_hash: flags.planHash }),
    ...(flags.as !== undefined && { approver: flags.as }),
  }
  if (named.length > 1 && (flags.watch || flags.planHash !== undefined))
    throw new DomainError('validation_failed', '--watch and --plan-hash are about one run: name only that one')
  try {
    const runIds = new Set<string>()
    // a name that fits no run is found before anything is answered
    for (const name of named) runIds.add(await runIdOf(api, name))
    const [runId = '', ...others] = runIds
    if (others.length > 0) return deps.exit(await answerSeveral(api, { runIds, decision }, flags, deps))
    const act = flags.watch ? watchAndAnswer : answerNow
    deps.exit(await act(api, { runId, decision }, flags, deps))
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    for (const line of describeProblem(error, flags.json)) deps.err(line)
    deps.exit(exitOfAnswer(error))
  }
}

function exitOfAnswer(error: ApiProblem): number {
  return EXIT_OF_ANSWER[error.code] ?? exitCodeOfProblem(error)
}

/** Waits where there are more requests than the API takes of one caller in that time. */
async function inTurn(act: () => Promise<unknown>): Promise<void> {
  for (let waits = 0; ; waits++) {
    try {
      await act()
      return
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'rate_limited' || waits === MAX_WAITS) throw error
      await setTimeout(Number(error.document['retry_after_s'] ?? 1) * 1_000)
    }
  }
}

/** Answers one gate after the other, each by its own plan. A refusal of one keeps no other from being answered; the first one is the exit status. */
async function answerSeveral(
  api: ApiClient,
  { runIds, decision }: { runIds: ReadonlySet<string>; decision: Schema<'ApprovalDecision'> },
  flags: RemoteFlags,
  deps: CliDeps,
): Promise<number> {
  let exit: number = REMOTE_EXIT.done
  const results: string[] = []
  for (const runId of runIds) {
    try {
      await inTurn(() => answerNow(api, { runId, decision }, flags, deps))
      results.push(`${runId}  ${pc.green('answered')}`)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      if (exit === REMOTE_EXIT.done) exit = exitOfAnswer(error)
      if (flags.json) deps.out(visibleJson({ run_id: runId, ...error.document }))
      results.push(`${runId}  ${pc.red('refused')}  ${describeProblem(error).join(' ')}`)
    }
  }
  if (!flags.json) for (const line of ['', ...results]) deps.out(line)
  return exit
}

type Act = (
  api: ApiClient,
  answer: { runId: string; decision: Schema<'ApprovalDecision'> },
  flags: RemoteFlags,
  deps: CliDeps,
) => Promise<number>

const answerNow: Act = async (api, { runId, decision }, flags, deps) => {
  const pending = await api.pendingApproval(runId)
  const report = textReport(deps.out)
  if (!flags.json) report.pending(pending)
  const outcome = await decide(api, pending, decision)
  if (flags.json) deps.out(visibleJson({ ...outcome, plan_hash: pending.plan_hash, plan: pending.plan }))
  else report.outcome(outcome)
  return REMOTE_EXIT.done
}

const watchAndAnswer: Act = async (api, { runId, decision }, flags, deps) => {
  const report = flags.json ? jsonReport(deps.out, deps.err) : textReport(deps.out)
  const { decision: preferred, ...rest } = decision
  const answerer =
    deps.interactive && !flags.json
      ? answerByPerson(api, report, { preferred, rest })
      : answerAlways(api, report, decision)
  const run = await watchRun({ api, run_id: runId, report, onGate: answerer.answer })
  report.run(run)
  if (!isTerminal(run.status)) return EXIT.conflict
  const decided = answerer.decided()
  if (decided === undefined) {
    deps.err('the run ended without an answer from here')
    return REMOTE_EXIT.not_awaiting
  }
  return decided === 'approve' && run.status !== 'succeeded' ? REMOTE_EXIT.failed : REMOTE_EXIT.done
}
