/**
 * Runs `task` with a signal that fires after `ms`, as a TimeoutError, or when `signal` does. Not `AbortSignal.any`: Node collects a timeout
 * that only a joined signal refers to, and then it never fires.
 */
export async function within<Result>(
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
