import type { Schema } from '#client/create-client.ts'
import { pc, printable } from './format.ts'
import { pairsText } from './run-text.ts'
import { cutTo } from './table.ts'

/** Time, number, type, step and what matters of an event, cut to the window where there is one. */
export function eventLine(
  { ts, seq, type, step, data }: Pick<Schema<'RunEvent'>, 'ts' | 'seq' | 'type' | 'step' | 'data'>,
  width?: number,
  typeWidth = 16,
): string {
  const text = textOf(data['message']) ?? [pairsText(telling(data)), errorText(data['error'])].filter(Boolean).join(' ')
  const head = `${ts.replace('T', ' ')} ${String(seq).padStart(3)} `
  const rest = printable([type.padEnd(typeWidth), step, text].filter(Boolean).join(' ')).trimEnd()
  return pc.dim(head) + (width === undefined ? rest : cutTo(rest, Math.max(20, width - head.length)))
}

/** Returns the reason of an end, from its error. */
function errorText(error: unknown): string | undefined {
  return isRecord(error) ? textOf(error['message']) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Drops members that are only there to be compared, or that only `--json` can show. */
function telling(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) => !/_hash$|_snapshot$/.test(name) && (Array.isArray(value) ? isWords(value) : !isRecord(value)),
    ),
  )
}

function isWords(list: unknown[]): boolean {
  return list.length > 0 && list.every((each) => typeof each === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
