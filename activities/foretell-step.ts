import { costOf } from '#core/budget/charge.ts'
import { runCapUsd } from '#core/budget/run-cap.ts'
import type { LegOutcome } from '#core/contract.ts'
import { microFromUsd, totalCost, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import { withoutEffect } from '#core/run/dry-run-report.ts'
import type { ForetoldStep } from '#core/run/dry-run-schema.ts'
import type { StepRecord } from '#store/run-answers.ts'
import { carryForetold } from './carry-foretold.ts'
import { describeOperation } from './describe-operation.ts'
import { foretoldSteps } from './foretold-steps.ts'
import { holdBack } from './hold-back.ts'
import type { PreparedStep } from './prepare-step.ts'
import { simulateStep } from './simulate-step.ts'
import { judgeStep } from './step-verdict.ts'
import type { JudgedWork, StepWork } from './step-work.ts'

export type Foretold = { kind: 'settled' } | LegOutcome | { kind: 'reads'; work: JudgedWork; foretold: ForetoldStep }

/**
 * A step of a dry run: says what it would do, and settles it as not done. Answers `reads` for what may be executed all the same: a
 * read that nobody need approve, that asks once, and that comes before anything that would have changed what it reads.
 */
export async function foretellStep(
  asked: StepWork,
  prepared: PreparedStep,
  begun: StepRecord | undefined,
): Promise<Foretold> {
  const { id, name, operator: id_of_operator } = asked.step
  const known = { id, name, operator: id_of_operator, executed: false }
  switch (prepared.kind) {
    case 'skipped':
      return carryForetold(asked, { ...known, would: 'be_skipped', summary: `skipped: ${asked.step.when} is not true` })
    case 'unknown': {
      const { depends_on } = prepared
      const summary = `not known: it depends on what ${depends_on.join(', ')} would bring`
      return carryForetold(asked, { ...known, would: 'unknown', summary, depends_on })
    }
    case 'invalid': {
      const { code, message } = prepared.error
      return carryForetold(asked, { ...known, would: 'fail', summary: message, error: { code, message } })
    }
  }
  const work: JudgedWork = { ...asked, judged: await judgeStep(asked, prepared.operation) }
  const missing = withoutEffect(foretoldSteps(asked.walk))
  const simulation = await simulated(work, begun)
  if (simulation !== undefined && 'refused' in simulation) return await holdBack(work, simulation)
  const foretold = {
    ...known,
    ...operationOf(work),
    ...endOf(work),
    ...gateOf(work, simulation),
    ...(simulation === undefined ? {} : { simulation }),
    ...(missing.length === 0 ? {} : { without: missing }),
  }
  const { operator, input } = work.judged
  const may = foretold.would === 'read' && foretold.gate === undefined && missing.length === 0
  if (may && operator.replay(input) === 'safe') return { kind: 'reads', work, foretold }
  return carryForetold(work, foretold)
}

/** What waits for the world is not asked how the world is: nothing of what it waits for has happened. */
async function simulated(work: JudgedWork, begun: StepRecord | undefined) {
  const { operator } = work.judged
  return operator.waits || operator.delay_ms !== undefined ? undefined : await simulateStep(work, begun)
}

function operationOf(work: JudgedWork) {
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
    estimate_usd: usdFromMicro(estimateOf(work)),
  }
}

function endOf(work: JudgedWork): Pick<ForetoldStep, 'would' | 'error'> {
  const { walk, deps, judged } = work
  const { operator } = judged
  if (judged.verdict.effect === 'deny') {
    const denying = judged.verdict.matched.filter(({ effect }) => effect === 'deny')
    const message = denying.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
    return { would: 'be_refused', error: { code: 'PolicyDenied', message } }
  }
  const estimate = estimateOf(work)
  const cap = Math.min(
    walk.head.cap_micro_usd,
    microFromUsd(runCapUsd(walk.environment, deps.environments.profile(walk.head.profile))),
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

function estimateOf({ judged }: JudgedWork): number {
  return totalCost(costOf(judged.operator.estimate?.(judged.input)))
}
