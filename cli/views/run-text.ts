import type { Schema } from '#client/create-client.ts'

type Run = Schema<'Run'>

/** Formats the subject of a run in one line: its alert, else its reason, else its failure, else its inputs. */
export function aboutRun({
  trigger,
  reason,
  error,
  inputs,
}: Pick<Run, 'trigger' | 'reason' | 'error' | 'inputs'>): string {
  const alert = trigger?.alert
  if (alert !== undefined) return `${alert.severity}: ${alert.title}`
  return reason ?? (error === undefined ? pairsText(inputs) : `${error.code}: ${error.message}`)
}

/** A record in a line: `url=http://… count=3`. */
export function pairsText(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

/** Returns the user or trigger that started a run. */
export function startedBy({ provenance }: Pick<Run, 'provenance'>): { by: string; trigger: string } {
  const { actor, trigger } = provenance
  return { by: textOf(actor, 'display') || textOf(actor, 'id'), trigger: textOf(trigger, 'type') }
}

export function usd(amount: number): string {
  return amount === 0 ? '$0' : `$${amount < 0.01 ? amount.toFixed(4) : amount.toFixed(2)}`
}

/** To the micro-dollar: calls of models cost less than a cent. */
export function exactUsd(amount: number): string {
  return `$${amount.toFixed(6).replace(/0{1,4}$/, '')}`
}

function textOf(record: unknown, key: string): string {
  const value = typeof record === 'object' && record !== null ? new Map(Object.entries(record)).get(key) : undefined
  return typeof value === 'string' ? value : ''
}
