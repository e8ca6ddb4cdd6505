import { runCapUsd } from '#core/budget/run-cap.ts'
import { capFromUsd, type MicroUsd, totalCost, usdFromMicro } from '#core/money.ts'
import type { OperatorError, Simulation } from '#core/operator.ts'
import { withoutEffect } from '#core/run/dry-run-report.ts'
import type { ForetoldStep } from '#core/run/dry-run-schema.ts'
import { flush, stoppedBy } from '../run/run-session.ts'
import { describeOperation } from './describe.ts'
import { estimateOf } from './estimate.ts'
import { foretoldRecord, foretoldSteps } from './predicted-steps.ts'
import type { PreparedStep } from './prepare.ts'
import { type Attempt, attemptRecord, decidedRecords, settledCharge } from './records.ts'
import { remember } from './settle.ts'
import { logEvents } from './step-log.ts'
import { type JudgedStep, type JudgedWork, type StepEnd, type StepWork, stepKey } from './work.ts'

const WORDS: Readonly<Record<ForetoldStep['would'], string>> = {
  act: 'would act',
  read: 'would read',
  wait: 'would wait',
  be_skipped: 'would be skipped',
  be_refused: 'would be refused',
  fail: 'would fail',
  unknown: 'cannot be judged',
}

/** Settles a step of a dry run as not done, with what it would do. */
export async function settleForetold(
  work: StepWork & { judged?: JudgedStep },
  foretold: ForetoldStep,
): Promise<StepEnd> {
  const { deps, session, step, judged } = work
  const refused = await flush(deps, session)
  if (refused !== undefined) return stoppedBy(refused)
  const simulation = foretoldRecord(foretold)
  const decided =
    judged === undefined
      ? undefined
      : decidedRecords(work, { ...judged, attempt: 0, phase: 'foretold', led_to: 'report' })
  const { would, summary } = foretold
  session.pending = {
    settle: {
      ...stepKey(work),
      state: 'skipped',
      attempt: 0,
      outputs: {},
      simulation,
      message: `a dry run: not executed; ${WORDS[would]}: ${summary}`,
    },
    events: [
      ...(decided === undefined ? [] : [decided.event]),
      {
        key: `step/${step.id}/foretold`,
        type: 'step.completed',
        step: step.id,
        data: { dry_run: true, executed: false, would, summary },
      },
    ],
    audit: decided === undefined ? [] : [decided.audit],
  }
  remember(work, { state: 'skipped', attempt: 0, outputs: {}, simulation })
  return { kind: 'settled' }
}

/** A read of a dry run that was tried and failed. It is not tried again: the run would go on without it at most as this says. */
export async function settleFailedRead(
  work: JudgedWork,
  made: Attempt,
  { error, foretold }: { error: OperatorError; foretold: ForetoldStep },
): Promise<StepEnd> {
  const { deps, session, step } = work
  const refused = await flush(deps, session)
  if (refused !== undefined) return stoppedBy(refused)
  const { code, message, retryable } = error
  const simulation = foretoldRecord({ ...foretold, would: 'fail', executed: true, error: { code, message } })
  const failure = { code, message, retryable, step: step.id }
  session.pending = {
    settle: {
      ...stepKey(work),
      state: 'failed',
      attempt: made.number,
      error: failure,
      simulation,
      ...settledCharge(made.charge),
    },
    events: [
      ...logEvents(step.id, made.number, made.log),
      {
        key: `step/${step.id}/${made.number}/failed`,
        type: 'step.failed',
        step: step.id,
        data: {
          ...failure,
          ...{ attempt: made.number, dry_run: true, executed: true },
          cost_usd: usdFromMicro(totalCost(made.charge.cost)),
        },
      },
    ],
    audit: [attemptRecord(work, made, 'failed')],
  }
  remember(work, { state: 'failed', attempt: made.number, error: failure, simulation })
  return { kind: 'settled' }
}

/** What a judged step of a dry run would do, ask and cost; nothing is executed here. */
export async function foretellStep(work: JudgedWork, simulation: Simulation | undefined): Promise<ForetoldStep> {
  const { id, name, operator } = work.step
  const missing = withoutEffect(foretoldSteps(work.session))
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
  const { effect, matched, broken_policies } = judged.verdict
  return {
    summary,
    action_type: judged.action_type,
    targets,
    ...(command === undefined ? {} : { command }),
    ...(diff === undefined ? {} : { diff }),
    plan_hash: judged.plan_hash,
    policy: {
      effect,
      matched: matched.map(({ name, layer, effect, reason }) => ({ name, layer, effect, reason })),
      broken_policies: [...broken_policies],
    },
    estimate_usd: usdFromMicro(estimate),
  }
}

function endOf(work: JudgedWork, estimate: MicroUsd): Pick<ForetoldStep, 'would' | 'error'> {
  const { session, deps, judged } = work
  const { operator } = judged
  if (judged.verdict.effect === 'deny') {
    const denying = judged.verdict.matched.filter(({ effect }) => effect === 'deny')
    const message = denying.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
    return { would: 'be_refused', error: { code: 'PolicyDenied', message } }
  }
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

function gateOf(work: JudgedWork, simulation: Simulation | undefined): Pick<ForetoldStep, 'gate'> {
  const { gate, verdict } = work.judged
  const unproven =
    verdict.dry_run && simulation?.ok === false ? [simulation.not_tried ? 'not_simulated' : 'simulation_failed'] : []
  const because = [...gate.because, ...unproven]
  if (verdict.effect === 'deny' || because.length === 0) return {}
  const { operator, profile, pack } = gate.authorities
  const { approvals, approval_roles, prevent_self } = gate.required
  const authorities = { operator, profile, policy: verdict.effect, pack }
  return { gate: { because, authorities, approvals, approval_roles, prevent_self } }
}

/** A step of a dry run that came to no operation that could be judged. */
export function foretellUnjudged({ step }: StepWork, prepared: Exclude<PreparedStep, { kind: 'ready' }>): ForetoldStep {
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
