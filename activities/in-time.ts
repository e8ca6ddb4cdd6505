import type { Unsent } from './ask-again.ts'
import type { StepWork } from './step-work.ts'

/** How long after its beginning a near leg still begins to act: the engine gives it up soon after. */
const NEAR_ACTS_MS = 2_000

/** What is answered to the questions before a step is sent; `late` where a near leg would wait for it too long. */
export async function inTime(
  { deps, session }: StepWork,
  answer: Promise<Unsent | undefined>,
): Promise<Unsent | undefined> {
  if (!session.near) return await answer
  const left_ms = session.began + NEAR_ACTS_MS - deps.monotonic()
  if (left_ms <= 0) return 'late'
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, left_ms, 'late')
  })
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
