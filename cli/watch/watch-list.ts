import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '#core/errors.ts'
import { ApiProblem } from '../client/api-problem.ts'
import type { CliDeps } from '../deps.ts'

const PAUSE_MS = 2_000
const CLEAR = '\u001b[H\u001b[2J\u001b[3J'

export interface WatchedList {
  /** the current list: lines of the screen, and each row by its key for output without one */
  fetchView(): Promise<{ lines: string[]; rows: Map<string, string> }>
  /** resolves when it is time to refresh, false to end the watch */
  pause?(): Promise<boolean>
}

const AFTER_PAUSE = () => sleep(PAUSE_MS, true)
const AWAY = 'away'

/** Shows a list again whenever it changes: at a terminal the whole screen, else each row that is new or has changed. */
export async function watchList(deps: Pick<CliDeps, 'out' | 'err' | 'screen'>, list: WatchedList): Promise<void> {
  let shown: string | undefined
  let known = new Map<string, string>()
  for (let going = true; going; going = await (list.pause ?? AFTER_PAUSE)()) {
    const now = await list.fetchView().catch(passing)
    const screen = deps.screen()
    if (now === undefined) {
      if (shown !== AWAY) deps.err('nothing answers; trying again')
      shown = AWAY
    } else if (screen !== undefined) {
      const text = now.lines.slice(0, screen.height - 1).join('\n')
      if (text !== shown) deps.out(`${CLEAR}${text}`)
      shown = text
    } else {
      for (const [key, line] of now.rows) if (known.get(key) !== line) deps.out(line)
      known = now.rows
      shown = undefined
    }
  }
}

/** An error that may be over at the next refresh. */
function passing(error: unknown): undefined {
  const passes =
    error instanceof ApiProblem
      ? error.status === 429 || error.status >= 500
      : error instanceof DomainError && error.code === 'dependency_unavailable'
  if (!passes) throw error
}
