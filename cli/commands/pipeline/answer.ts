import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { describeProblem } from '../../client/api-answers.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import type { CliDeps } from '../../deps.ts'
import { exitCodeOfProblem } from '../../exit-codes.ts'
import { noStep, pipelineIdOf } from '../../pipelines/pipeline-id.ts'
import { textReport } from '../../watch/report.ts'
import { EXIT_OF_ANSWER } from '../remote.ts'

const EXIT_HELP = `
Exit status:
  0  decided
  2  refused: the caller may not decide this, or a note is missing
  3  nothing is waiting for an answer, or another answer won
  4  the plan is not the one that was shown or named
  64 wrong arguments   66 no such pipeline or step   69 the service does not answer
  75 the gate has to be named, or the step is waiting to be advanced   77 not logged in`

interface AnswerFlags {
  note?: string
  gate?: string
  planHash?: string
  as?: string
  reject?: boolean
  json?: boolean
  workspace?: string
}

interface AnswerDeps extends Pick<CliDeps, 'out' | 'err' | 'exit'> {
  api(workspace?: string): Pick<ApiClient, 'pipelines' | 'pipeline' | 'pendingApproval' | 'approvePipelineStep'>
}

/** `svc pipeline approve <id> <step>`: answers the gate of a step. */
export function registerPipelineAnswer(pipeline: Command, deps: AnswerDeps): void {
  pipeline
    .command('approve')
    .description('approve the gate of a step, on the plan that is shown; with --reject, reject it')
    .argument('<pipeline_id>', 'its id, or the first characters of it')
    .argument('<step>', 'its id')
    .option('--note <text>', 'recorded with the decision; some gates require one')
    .option('--gate <id>', 'which gate; may be omitted for the first gate of a step with one run')
    .option('--plan-hash <hash>', 'decide only if this is the plan (default: the one that is shown)')
    .option('--as <approver>', 'who decides, if not the caller')
    .option('--reject', 'reject it instead')
    .option('--json', 'print JSON')
    .option('--workspace <id or name>', 'where it belongs (default: SVC_WORKSPACE, else your own)')
    .addHelpText('after', EXIT_HELP)
    .action((named: string, step: string, flags: AnswerFlags) => answer({ named, step }, flags, deps))
}

async function answer(
  { named, step }: { named: string; step: string },
  flags: AnswerFlags,
  deps: AnswerDeps,
): Promise<void> {
  const api = deps.api(flags.workspace)
  const report = textReport(deps.out)
  try {
    const id = await pipelineIdOf(api, named)
    const pending = await shownOf(api, id, step, flags.gate)
    if (pending !== undefined && !flags.json) report.pending(pending)
    const outcome = await api
      .approvePipelineStep(id, step, decisionOf(flags, pending))
      .catch(async (error: unknown) => {
        throw await noStep(withGate(error, { id, step, gate_id: pending?.gate_id }, flags), api, id, step)
      })
    if (!flags.json) return report.outcome(outcome)
    deps.out(visibleJson({ ...outcome, ...(pending && { plan_hash: pending.plan_hash, plan: pending.plan }) }))
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    for (const line of describeProblem(error, flags.json)) deps.err(line)
    deps.exit(EXIT_OF_ANSWER[error.code] ?? exitCodeOfProblem(error))
  }
}

/** Returns the gate to answer; undefined without one, which the service reports better. Throws `conflict` for several. */
async function shownOf(
  api: Pick<ApiClient, 'pipeline' | 'pendingApproval'>,
  id: string,
  stepId: string,
  gate: string | undefined,
): Promise<Schema<'PendingApproval'> | undefined> {
  const step = (await api.pipeline(id)).steps.find((each) => each.id === stepId)
  const waiting = (step?.runs ?? []).filter(({ gate_id }) => gate_id !== undefined)
  const asked = gate === undefined ? waiting : waiting.filter(({ gate_id }) => gate_id === gate)
  if (asked.length > 1) {
    const gates = asked.map(({ gate_id, index, run_id }) => `\n  --gate ${gate_id}  (entry ${index}, ${run_id})`)
    throw new DomainError(
      'conflict',
      `${asked.length} runs of the step ${stepId} are waiting: name one of their gates${gates.join('')}`,
    )
  }
  const [run] = asked
  return run === undefined ? undefined : await api.pendingApproval(run.run_id)
}

/** Formats how to name the shown gate. */
function withGate(
  error: unknown,
  { id, step, gate_id }: { id: string; step: string; gate_id: string | undefined },
  { reject = false }: Pick<AnswerFlags, 'reject'>,
): unknown {
  const isUnnamed = error instanceof ApiProblem && error.code === 'conflict' && Array.isArray(error.document['gates'])
  if (!isUnnamed || gate_id === undefined) return error
  const answering = `svc pipeline approve ${id} ${step} --gate ${gate_id}${reject ? ' --reject' : ''}`
  const advice = `to ${reject ? 'reject' : 'approve'} the gate that is shown: ${answering}`
  return new ApiProblem(error.status, error.document, advice)
}

/** Without `--gate` the service checks that only one gate can be meant: a repeat must not answer the next one. */
function decisionOf(
  { note, planHash, as, reject, gate }: AnswerFlags,
  pending: Schema<'PendingApproval'> | undefined,
): Schema<'StepDecisionRequest'> {
  const plan_hash = planHash ?? pending?.plan_hash
  return {
    decision: reject ? 'reject' : 'approve',
    ...(note !== undefined && { note }),
    ...(gate !== undefined && { gate_id: gate }),
    ...(plan_hash !== undefined && { plan_hash }),
    ...(as !== undefined && { approver: as }),
  }
}
