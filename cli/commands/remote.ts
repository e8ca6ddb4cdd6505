import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { isTerminal } from '#core/run/status.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { describeProblem } from '../client/api-answers.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { runIdOf } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT, exitCodeOfProblem } from '../exit-codes.ts'
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

const EXIT_HELP = `
Exit status:
  0  decided (with --watch: and the run ended as decided)
  1  with --watch: approved, but the run did not succeed
  2  refused: the caller may not decide this, or a note is missing
  3  nothing waits for an answer, or another answer won
  4  the plan is not the one that was shown or named
  64 wrong arguments   66 no such run   69 nothing answers   75 with --watch: left undecided   77 not logged in`

interface RemoteFlags {
  note?: string
  planHash?: string
  as?: string
  watch?: boolean
  json?: boolean
  workspace?: string
}

/** `svc remote approve|reject <run_id>`: answers a gate from the command line. */
export function registerRemote(program: Command, deps: CliDeps): void {
  const remote = program.command('remote').description('answer the gate of a run')
  for (const verb of ['approve', 'reject'] as const) {
    remote
      .command(verb)
      .description(`${verb} what a run waits for, as it is shown`)
      .argument('<run_id>', 'the run that waits: its id, or the first characters of it')
      .option('--note <text>', 'kept with the decision; some gates need one')
      .option('--plan-hash <hash>', 'decide only when this is the plan (default: the one that is shown)')
      .option('--as <approver>', 'who decides, where that is not the caller')
      .option('--watch', 'follow the run, answer each gate that it meets (asks at a terminal), until it ends')
      .option('--json', 'print JSON; never asks')
      .addOption(
        new Option('--workspace <id or name>', 'the workspace of the run (default: SVC_WORKSPACE, else your own)'),
      )
      .addHelpText('after', EXIT_HELP)
      .action((runId: string, flags: RemoteFlags) => answerRemotely(verb, runId, flags, deps))
  }
}

async function answerRemotely(
  verb: 'approve' | 'reject',
  named: string,
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
  try {
    const act = flags.watch ? watchAndAnswer : answerNow
    deps.exit(await act(api, { runId: await runIdOf(api, named), decision }, flags, deps))
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    for (const line of describeProblem(error, flags.json)) deps.err(line)
    deps.exit(EXIT_OF_ANSWER[error.code] ?? exitCodeOfProblem(error))
  }
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
