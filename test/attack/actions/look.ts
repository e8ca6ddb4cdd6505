import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { nonsense } from '../forge.ts'
import { MESSAGES } from '../names.ts'

/** Asks workflows what they know: built-in queries, and names that might be ones. */
export const look: Action = { weight: 3, act }

async function act({ world, dice, run }: Situation): Promise<Did> {
  const { engine } = world
  const name = dice.pick([
    '__stack_trace',
    '__enhanced_stack_trace',
    '__temporal_workflow_metadata',
    'state',
    ...MESSAGES,
  ])
  return await attempt(name, async () => void (await engine.query(run.id, name, nonsense(dice))))
}
