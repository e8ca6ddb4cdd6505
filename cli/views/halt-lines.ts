import { scopeText } from '#core/halt/halt.ts'
import { formatTime } from '#core/time/format-time.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { pc, printable } from './format.ts'

const MAX = 5

/** Returns a line for each halt that is in force in the workspace of `api`: who, since when and why. Empty where halts may not be read. */
export async function haltLines(api: Pick<ApiClient, 'halts' | 'workspace'>): Promise<string[]> {
  try {
    const all = await api.halts()
    const here = all.some(({ scope }) => scope.workspace !== undefined) ? await api.workspace() : undefined
    const halts = all.filter(({ scope }) => scope.workspace === undefined || scope.workspace === here)
    const now = new Date().toISOString()
    const lines = halts.slice(0, MAX).map(({ scope, by, created_at, reason }) => {
      const { workspace: _here, ...narrowed } = scope
      const what = Object.keys(narrowed).length === 0 ? '' : ` ${scopeText(narrowed)}`
      return printable(`HALTED${what} by ${by.display} since ${formatTime(created_at, now)} (${reason})`)
    })
    const more = halts.length - lines.length
    return more > 0 ? [...lines, `and ${more} more: svc halt --list`] : lines
  } catch (error) {
    // an API key may be allowed to read runs and not halts
    if (error instanceof ApiProblem) return []
    throw error
  }
}

/** Prints the halts before a list; beside JSON as a warning on standard error. */
export function printHalts(
  { out, err }: { out(line: string): void; err(line: string): void },
  lines: readonly string[],
  isJson: boolean,
): void {
  for (const line of lines) (isJson ? err : out)(pc.red(line))
}
