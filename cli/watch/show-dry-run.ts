import type { Schema } from '#client/create-client.ts'
import { DryRunReport, type PredictedStep } from '#core/run/dry-run-schema.ts'
import { pc, printable, printableLines } from '../views/format.ts'

const WOULD: Record<PredictedStep['would'], string> = {
  act: 'would act',
  read: 'would read',
  wait: 'would wait',
  be_skipped: 'would be skipped',
  be_refused: 'would be refused',
  fail: 'would fail',
  unknown: 'cannot be judged',
}

/** Shows the findings of a dry run, step by step; nothing for a real run, or before the first finding. */
export function showDryRun(say: (line: string) => void, { dry_run, outputs }: Schema<'Run'>): void {
  const found = DryRunReport.safeParse(dry_run ? outputs?.['dry_run'] : undefined)
  if (!found.success) return
  const { steps, gates, unknown, estimate_usd, cap_usd, fits } = found.data
  say(`\n   ${pc.bold('A dry run: nothing acted, no approval was requested.')}`)
  for (const step of steps) showStep(say, step)
  const sum = [
    `${gates.length} of ${steps.length} steps would ask a person`,
    ...(unknown.length === 0 ? [] : [`${unknown.length} cannot be judged`]),
    `at most ${estimate_usd} USD for one attempt each, under a cap of ${cap_usd} USD${fits ? '' : ', which it may exceed'}`,
  ]
  say(`\n   ${sum.join('; ')}`)
}

function showStep(say: (line: string) => void, step: PredictedStep): void {
  const row = (label: string, value: string) => {
    for (const [index, line] of printableLines(value).entries())
      say(`     ${pc.dim((index === 0 ? label : '').padEnd(10))} ${printable(line)}`)
  }
  const { gate, simulation, policy, error } = step
  const end = step.executed && error === undefined ? pc.green('was read') : colored(step.would)
  say(`\n   ${pc.bold(printable(step.id))} ${end}: ${printable(step.summary)}`)
  if (step.command) row('command', step.command)
  if (step.diff) row('changes', step.diff.body)
  if (gate) {
    row('gate', gate.because.join('; '))
    const roles = gate.approval_roles.map((clause) => clause.join(' or ')).join(' and ')
    row('needs', `${gate.approvals} approval${gate.approvals === 1 ? '' : 's'}${roles && `, from ${roles}`}`)
  }
  const matched = policy?.matched ?? []
  if (policy && matched.length > 0)
    row('policy', `${policy.effect}: ${matched.map(({ name, effect }) => `${name} (${effect})`).join(', ')}`)
  if (policy && policy.broken_policies.length > 0) row('broken', `policies ${policy.broken_policies.join(', ')}`)
  if (simulation) row('simulated', simulation.summary)
  if (step.without) row('without', `what ${step.without.join(', ')} would have changed`)
  if (error && error.message !== step.summary) row('because', `${error.code}: ${error.message}`)
  if (step.estimate_usd) row('cost', `at most ${step.estimate_usd} USD an attempt`)
}

function colored(would: PredictedStep['would']): string {
  if (would === 'be_refused' || would === 'fail') return pc.red(WOULD[would])
  return would === 'unknown' ? pc.yellow(WOULD[would]) : WOULD[would]
}
