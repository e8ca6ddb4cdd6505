import { runCapUsd } from '#core/budget/run-cap.ts'
import { capFromUsd, type MicroUsd, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import { withoutEffect } from '#core/run/dry-run-report.ts'
import type { ForetoldStep } from '#core/run/dry-run-schema.ts'
import { describeOperation } from './describe-operation.ts'
import { estimateOf } from './estimate-of.ts'
import { foretoldSteps } from './foretold-steps.ts'
import type { JudgedWork } from './step-work.ts'

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
