import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { openGate } from '../knowledge.ts'
import { MESSAGES } from '../names.ts'

const TIMES = 25

/** Claims the same of one run, over and over. */
export const flood: Action = { weight: 1, act }

async function act({ world, run, knowledge }: Situation): Promise<Did> {
  const gate = await knowledge.gateOf(run)
  const name = MESSAGES.find((each) => /gate/.test(each)) ?? 'gate.decide'
  return await attempt(
    `${TIMES} signals`,
    async () => {
      for (let time = 0; time < TIMES; time += 1) await world.engine.signal(run.id, name, [{ decision: 'approve' }])
    },
    openGate(gate),
  )
}
