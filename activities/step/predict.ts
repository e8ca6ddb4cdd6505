import { runCapUsd } from '#core/environment/environment.ts'
import { capFromUsd, type MicroUsd, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import { denialOf } from '#core/policy/merge.ts'
import { predictionRecord, withoutEffect } from '#core/run/dry-run-report.ts'
import type { PredictedStep } from '#core/run/dry-run-schema.ts'
import { matchedRules } from '#core/run/step-records.ts'
import { predicted } from '#core/run/step-transitions.ts'
import type { StepDeps } from '../deps.ts'
import { predictedSteps, profileOf, type RunSession } from '../run/run-session.ts'
import { unproven } from './decide.ts'
import { describeOperation, estimateOf } from './describe.ts'
import { isStillGranted } from './judge.ts'
import type { Unprepared } from './prepare.ts'
import { simulateStep } from './simulate.ts'
import type { Conclusion, Decision, JudgedStep, JudgedWork, StepWork } from './work.ts'

/** In a dry run nothing acts: each step says what it would do, and reads that need no approval are done, once. */
export async function decideDryRun(work: JudgedWork): Promise<Decision> {
  const { deps, session, step, judged, of, record } = work
  const { operator, input, verdict } = judged
  if (!(await isStillGranted(deps, session))) return { kind: 'hold', refusal: { refused: 'grant_lost' } }
  // what waits for the world is not asked how the world is: nothing of what it waits for has happened
  const waits = operator.waits || operator.delay_ms !== undefined
  const simulation = waits || verdict.effect === 'deny' ? undefined : await simulateStep(work)
  if (simulation !== undefined && 'refused' in simulation) return { kind: 'hold', refusal: simulation }
  const { id, name } = step
  const prediction: PredictedStep = {
    id,
    name,
    operator: step.operator,
    executed: false,
    ...(await predictOperation(deps, session, judged, simulation)),
  }
  // a read after a step that was left out would read what that has not changed
  const { would, gate, without } = prediction
  const may = would === 'read' && gate === undefined && without === undefined && operator.replay(input) === 'safe'
  if (!may) return { kind: 'settle', settled: predicted(of, prediction, predictionRecord(prediction), judged) }
  return { kind: 'act', basis: { attempt: (record?.attempt ?? 0) + 1, simulation, predicted: prediction } }
}

/** What a judged step of a dry run would do, ask and cost; nothing is executed here. */
async function predictOperation(
  deps: StepDeps,
  session: RunSession,
  judged: JudgedStep,
  simulation: Simulation | undefined,
): Promise<Omit<PredictedStep, 'id' | 'name' | 'operator' | 'executed'>> {
  const missing = withoutEffect(predictedSteps(session))
  const estimate = await estimateOf(deps, judged)
  const { summary, targets, command, diff } = describeOperation(session.redactor, judged)
  const { verdict, action_type, plan_hash } = judged
  return {
    summary,
    action_type,
    targets,
    ...(command === undefined ? {} : { command }),
    ...(diff === undefined ? {} : { diff }),
    plan_hash,
    policy: {
      effect: verdict.effect,
      matched: matchedRules(verdict),
      broken_policies: [...verdict.broken_policies],
    },
    estimate_usd: usdFromMicro(estimate),
    ...endOf(deps, session, judged, estimate),
    ...gateOf(judged, simulation),
    ...(simulation === undefined ? {} : { simulation }),
    ...(missing.length === 0 ? {} : { without: missing }),
  }
}

function endOf(
  deps: StepDeps,
  { head, environment }: RunSession,
  { operator, verdict, is_read }: JudgedStep,
  estimate: MicroUsd,
): Pick<PredictedStep, 'would' | 'error'> {
  const error = denialOf(verdict)
  if (error !== undefined) return { would: 'be_refused', error }
  const cap = Math.min(head.cap_micro_usd, capFromUsd(runCapUsd(environment, profileOf(deps, head.profile))))
  if (estimate > cap) {
    const message = `it may cost ${usdFromMicro(estimate)} USD, which does not fit under the run's cap of ${usdFromMicro(cap)} USD`
    return { would: 'fail', error: { code: 'BudgetExceeded', message } }
  }
  if (operator.waits || operator.delay_ms !== undefined) return { would: 'wait' }
  return { would: is_read ? 'read' : 'act' }
}

function gateOf({ gate, verdict }: JudgedStep, simulation: Simulation | undefined): Pick<PredictedStep, 'gate'> {
  const because = [...gate.because, ...(verdict.dry_run ? unproven(simulation) : [])]
  if (verdict.effect === 'deny' || because.length === 0) return {}
  const { operator, profile, pack } = gate.authorities
  const { approvals, approval_roles, prevent_self } = gate.required
  const authorities = { operator, profile, policy: verdict.effect, pack }
  return { gate: { because, authorities, approvals, approval_roles, prevent_self } }
}

/** A step of a dry run that came to no operation that could be judged. */
export function predictUnprepared({ step, of }: StepWork, prepared: Unprepared): Conclusion {
  const { id, name, operator } = step
  const prediction: PredictedStep = {
    id,
    name,
    operator,
    executed: false,
    ...withoutOperation(step.when, prepared),
  }
  return { kind: 'settle', settled: predicted(of, prediction, predictionRecord(prediction)) }
}

function withoutOperation(
  when: string | undefined,
  prepared: Unprepared,
): Pick<PredictedStep, 'would' | 'summary' | 'depends_on' | 'error'> {
  if (prepared.kind === 'skipped') return { would: 'be_skipped', summary: `${when} is not true` }
  if (prepared.kind === 'unknown') {
    const { depends_on } = prepared
    return { would: 'unknown', summary: `it depends on what ${depends_on.join(', ')} would bring`, depends_on }
  }
  const { code, message } = prepared.error
  return { would: 'fail', summary: message, error: { code, message } }
}
