/** Waits for work, and says what is under way once it takes longer than somebody likes to look at nothing. */
export async function reportSlow<Result>(
  work: Promise<Result>,
  what: string,
  report: (line: string) => void,
): Promise<Result> {
  const began = performance.now()
  let shown = false
  const timer = setTimeout(() => {
    shown = true
    report(`${what} …`)
  }, SLOW_MS)
  try {
    const result = await work
    if (shown) report(`${what}: done in ${((performance.now() - began) / 1_000).toFixed(1)} s`)
    return result
  } finally {
    clearTimeout(timer)
  }
}

const SLOW_MS = 1_000
