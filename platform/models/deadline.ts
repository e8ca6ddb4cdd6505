/** A signal that fires when another does, or, as a TimeoutError, after so long without progress, or after `most_ms`. */
export interface Deadline {
  signal: AbortSignal
  /** there was a sign of life */
  putOff(): void
  /** pauses the timeout until it is released */
  hold(): void
  release(): void
  end(): void
}

/** Shared, because it is never shown, and a new one for each call would cost a stack trace. */
const OVER = new DOMException('the answer is over', 'AbortError')

/** Not `AbortSignal.any`: Node collects a timeout that only a joined signal refers to, and then it never fires. */
export function createDeadline(
  given: AbortSignal,
  { idle_ms, most_ms }: { idle_ms: number; most_ms?: number },
): Deadline {
  const ending = new AbortController()
  const cancel = () => ending.abort(given.reason)
  const late = () => ending.abort(new DOMException('there was no sign of life in time', 'TimeoutError'))
  given.addEventListener('abort', cancel, { once: true })
  if (given.aborted) cancel()
  const most = most_ms === undefined ? undefined : setTimeout(late, most_ms)
  let idle = setTimeout(late, idle_ms)
  let held = false
  const putOff = () => {
    if (!held) idle.refresh()
  }
  return {
    signal: ending.signal,
    putOff,
    hold() {
      held = true
      clearTimeout(idle)
    },
    release() {
      held = false
      idle = setTimeout(late, idle_ms)
    },
    end() {
      held = true
      clearTimeout(idle)
      clearTimeout(most)
      given.removeEventListener('abort', cancel)
      ending.abort(OVER)
    },
  }
}
