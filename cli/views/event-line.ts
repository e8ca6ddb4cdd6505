import type { Schema } from '#client/create-client.ts'
import { eventText } from '#client/event-text.ts'
import { pc, printable } from './format.ts'
import { cutTo } from './table.ts'

/** Time, number, type, step and what matters of an event, cut to the window where there is one. */
export function eventLine(
  event: Pick<Schema<'RunEvent'>, 'ts' | 'seq' | 'type' | 'step' | 'actor' | 'data'>,
  width?: number,
  typeWidth = 16,
): string {
  const { ts, seq, type, step } = event
  const head = `${ts.replace('T', ' ')} ${String(seq).padStart(3)} `
  const rest = printable([type.padEnd(typeWidth), step, eventText(event)].filter(Boolean).join(' ')).trimEnd()
  return pc.dim(head) + (width === undefined ? rest : cutTo(rest, Math.max(20, width - head.length)))
}
