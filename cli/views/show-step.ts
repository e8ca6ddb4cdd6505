import type { Schema } from '#client/create-client.ts'
import type { CliDeps } from '../deps.ts'
import { pc, printable, printableLines } from './format.ts'
import { paintStatus, statusText } from './pill-text.ts'
import { pairsText, usd } from './run-text.ts'

/** Shows one step in full, without cuts. */
export function showStep(step: Schema<'RunStepDetail'>, { out }: Pick<CliDeps, 'out'>): void {
  const row = (label: string, value: string) => out(`  ${pc.dim(label.padEnd(11))} ${printable(value)}`)
  out(`${pc.bold(printable(step.id))}  ${paintStatus(statusText(step.state), step.state)}`)
  row('run', step.run_id)
  row('operator', `${step.operator}, ${step.action_type}`)
  if (step.message !== undefined) row('message', step.message)
  if (step.plan_hash !== undefined) row('plan hash', step.plan_hash)
  for (const { gate_id, status } of step.gates) row('gate', `${status} (${gate_id})`)
  for (const { number, started_at, ended_at, outcome, error } of step.attempts)
    row(
      `attempt ${number}`,
      [outcome ?? 'under way', started_at, ended_at, error && pairsText(error)].filter(Boolean).join('  '),
    )
  if (step.cost_usd > 0) row('cost', usd(step.cost_usd))
  if (step.error !== undefined) row('error', pairsText(step.error))
  for (const name of ['inputs', 'outputs', 'simulation'] as const) {
    const data = step[name]
    if (data === undefined) continue
    out(`\n  ${pc.bold(name)} ${pc.dim(data.digest)}`)
    const text =
      data.cut === true ? `${data.excerpt ?? ''}\n… (${data.bytes} bytes)` : JSON.stringify(data.value, null, 2)
    for (const line of printableLines(text)) out(`  ${line}`)
  }
  if (step.logs.length === 0) return
  out(`\n  ${pc.bold('log')}`)
  for (const { ts, data } of step.logs) {
    const text = typeof data['message'] === 'string' ? data['message'] : pairsText(data)
    out(`  ${pc.dim(ts)} ${printable(text)}`)
  }
}
