import type { Schema } from '#client/create-client.ts'
import { pc, printable } from '../views/format.ts'

/** One line for a person: number, type, step and what matters of it. */
export function showEvent(say: (line: string) => void, event: Schema<'RunEvent'>): void {
  const what = [event.step === undefined ? '' : printable(event.step), summaryOf(event)].filter(Boolean).join(' ')
  say(`   ${pc.dim(String(event.seq).padStart(2))} ${printable(event.type).padEnd(16)} ${what}`.trimEnd())
}

function summaryOf({ type, data }: Schema<'RunEvent'>): string {
  if (type === 'step.completed' && data['executed'] === false)
    return pc.dim(data['would'] === 'unknown' ? 'cannot be judged' : `would ${text(data['would']).replace('_', ' ')}`)
  if (type === 'policy.decided') return pc.dim(`${text(data['effect'])}, gate ${data['gate'] === true ? 'on' : 'off'}`)
  if (type === 'gate.decision') return pc.dim(text(data['decision']))
  if (type === 'step.failed' || type === 'run.failed') return pc.red(`${text(data['code'])}: ${text(data['message'])}`)
  return ''
}

function text(value: unknown): string {
  return printable(String(value ?? ''))
}
