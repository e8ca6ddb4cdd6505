import { runCapUsd } from '#core/environment/environment.ts'
import { capFromUsd, type MicroUsd, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import { denialOf } from '#core/policy/merge.ts'
import { withoutEffect } from '#core/run/dry-run-report.ts'
import type { PredictedStep } from '#core/run/dry-run-schema.ts'
import { matchedRules } from '#core/run/step-records.ts'
import { predicted } from '#core/run/step-transitions.ts'
import { type Decision, unproven } from './decide.ts'
import { describeOperation } from './describe.ts'
import { estimateOf } from './estimate.ts'
import { isStillGranted, judgeStep } from './judge.ts'
import { predictedSteps, predictionRecord } from './predicted-steps.ts'
import { type PreparedStep, prepareStep } from './prepare.ts'
import { simulateStep } from './simulate.ts'
import { factsOf, type JudgedWork, type StepWork } from './work.ts'

/** In a dry run nothing acts: each step says what it would do, and reads that need no approval are done, once. */
export async function decideDryRun(asked: StepWork): Promise<Decision> {
  const { deps, session, step } = asked
  const begun = session.steps.get(step.id)
  const prepared = await prepareStep(asked)
  if (session.local) return { kind: 'yield' }
  if (prepared.kind !== 'ready') return notExecuted(asked, predictUnjudged(asked, prepared))
  const { operator, input } = prepared.operation
  const work: JudgedWork = { ...asked, judged: await judgeStep(asked, prepared.operation) }
  if (!(await isStillGranted(deps, session))) return { kind: 'hold', work, refusal: { refused: 'grant_lost' } }
  // what waits for the world is not asked how the world is: nothing of what it waits for has happened
  const waits = operator.waits || operator.delay_ms !== undefined
  const denied = work.judged.verdict.effect === 'deny'
  const simulation = waits || denied ? undefined : await simulateStep(work, begun)
  if (simulation !== undefined && 'refused' in simulation) return { kind: 'hold', work, refusal: simulation }
  const prediction = await predictStep(work, simulation)
  // a read after a step that was left out would read what that has not changed
  const { would, gate, without } = prediction
  const may = would === 'read' && gate === undefined && without === undefined && operator.replay(input) === 'safe'
  if (!may) return notExecuted(work, prediction)
  const basis = { attempt: (begun?.attempt ?? 0) + 1, simulation, approval: undefined }
  return { kind: 'act', work: { ...work, predicted: prediction }, basis }
}

function notExecuted(work: StepWork & Partial<JudgedWork>, prediction: PredictedStep): Decision {
  const settled = predicted(factsOf(work), prediction, predictionRecord(prediction), work.judged)
  return { kind: 'settle', settled }
}

/** What a judged step of a dry run would do, ask and cost; nothing is executed here. */
async function predictStep(work: JudgedWork, simulation: Simulation | undefined): Promise<PredictedStep> {
  const { id, name, operator } = work.step
  const missing = withoutEffect(predictedSteps(work.session))
  const estimate = await estimateOf(work)
  return {
    ...{ id, name, operator, executed: false },
    ...operationOf(work, estimate),
    ...endOf(work, estimate),
    ...gateOf(work, simulation),
    ...(simulation === undefined ? {} : { simulation }),
    ...(missing.length === 0 ? {} : { without: missing }),
  }
}

function operationOf(work: JudgedWork, estimate: MicroUsd) {
  const { judged } = work
  const { summary, targets, command, diff } = describeOperation(work)
  const { effect, broken_policies } = judged.verdict
  return {
    summary,
    action_type: judged.action_type,
    targets,
    ...(command === undefined ? {} : { command }),
    ...(diff === undefined ? {} : { diff }),
    plan_hash: judged.plan_hash,
    policy: {
      effect,
      matched: matchedRules(judged.verdict),
      broken_policies: [...broken_policies],
    },
    estimate_usd: usdFromMicro(estimate),
  }
}

function endOf(work: JudgedWork, estimate: MicroUsd): Pick<PredictedStep, 'would' | 'error'> {
  const { session, deps, judged } = work
  const { operator } = judged
  const error = denialOf(judged.verdict)
  if (error !== undefined) return { would: 'be_refused', error }
  const cap = Math.min(
    session.head.cap_micro_usd,
    capFromUsd(runCapUsd(session.environment, deps.environments.profile(session.head.profile))),
  )
  if (estimate > cap) {
    const message = `it may cost ${usdFromMicro(estimate)} USD, which does not fit under the run's cap of ${usdFromMicro(cap)} USD`
    return { would: 'fail', error: { code: 'BudgetExceeded', message } }
  }
  if (operator.waits || operator.delay_ms !== undefined) return { would: 'wait' }
  return { would: judged.is_read ? 'read' : 'act' }
}

function gateOf(work: JudgedWork, simulation: Simulation | undefined): Pick<PredictedStep, 'gate'> {
  const { gate, verdict } = work.judged
  const because = [...gate.because, ...(verdict.dry_run ? unproven(simulation) : [])]
  if (verdict.effect === 'deny' || because.length === 0) return {}
  const { operator, profile, pack } = gate.authorities
  const { approvals, approval_roles, prevent_self } = gate.required
  const authorities = { operator, profile, policy: verdict.effect, pack }
  return { gate: { because, authorities, approvals, approval_roles, prevent_self } }
}

/** A step of a dry run that came to no operation that could be judged. */
function predictUnjudged({ step }: StepWork, prepared: Exclude<PreparedStep, { kind: 'ready' }>): PredictedStep {
  const { id, name, operator } = step
  const known = { id, name, operator, executed: false }
  if (prepared.kind === 'skipped') return { ...known, would: 'be_skipped', summary: `${step.when} is not true` }
  if (prepared.kind === 'unknown') {
    const { depends_on } = prepared
    const summary = `it depends on what ${depends_on.join(', ')} would bring`
    return { ...known, would: 'unknown', summary, depends_on }
  }
  const { code, message } = prepared.error
  return { ...known, would: 'fail', summary: message, error: { code, message } }
}
