/** A wait is made of so many, of 10 ms at least. */
const MAX_SLICES = 20
const SLICE_MS = 10

/**
 * What `work` gives, or after `ms` what `late` gives or throws. The work itself goes on. It counts the time in which this process had its
 * turn: while it is held up itself, an answer that has come cannot be taken, and nobody else is late.
 */
export async function within<Value, Late>(ms: number, work: Promise<Value>, late: () => Late): Promise<Value | Late> {
  const slices = Math.min(MAX_SLICES, Math.max(1, Math.floor(ms / SLICE_MS)))
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<void>((resolve) => {
    const wait = (left: number) => {
      timer = setTimeout(() => (left > 1 ? wait(left - 1) : resolve()), ms / slices)
    }
    wait(slices)
  })
  return await Promise.race([work, passed.then(late)]).finally(() => clearTimeout(timer))
}

/**
 * Runs `task` with a signal that fires after `ms`, as a TimeoutError, or when `signal` does. Not `AbortSignal.any`: Node collects a timeout
 * that only a joined signal refers to, and then it never fires.
 */
export async function withAbort<Result>(
  signal: AbortSignal,
  ms: number,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  const cancel = () => ending.abort(signal.reason)
  const timer = setTimeout(() => ending.abort(new DOMException(`did not finish within ${ms} ms`, 'TimeoutError')), ms)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  try {
    return await task(ending.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}
