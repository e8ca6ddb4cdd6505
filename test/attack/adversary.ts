import { ACTIONS } from './actions/index.ts'
import type { Attempt, Did, Harm } from './attempt.ts'
import { createDice } from './dice.ts'
import type { HonestRun } from './honest/runs.ts'
import type { Knowledge } from './knowledge.ts'
import type { World } from './world.ts'

const AT_ONCE = 6

export interface Harmed {
  index: number
  run_id: string
  harm: Harm
  at: number
}

export interface Adversary {
  attempts: Attempt[]
  harmed: Harmed[]
  /** Carries out the actions of these numbers; `on_start` is called before each begins. */
  attack(indexes: readonly number[], on_start?: (index: number) => void): Promise<void>
}

interface Options {
  world: World
  seed: number
  knowledge: Knowledge
  /** the runs that have been started so far */
  runs: readonly HonestRun[]
  /** of how many runs in all a target is drawn */
  total: number
}

/** Draws every action from the seed and its number alone, so that one of them can be had again. */
export function createAdversary({ world, seed, knowledge, runs, total }: Options): Adversary {
  const attempts: Attempt[] = []
  const harmed: Harmed[] = []

  async function one(index: number): Promise<void> {
    const dice = createDice(seed, index)
    const kind = chooseKind(dice.random())
    const [first, second] = [dice.int(total), dice.int(total)]
    const run = runs[first] ?? runs[first % runs.length]
    const other = runs[second] ?? runs[second % runs.length]
    const action = ACTIONS[kind]
    if (action === undefined || run === undefined || other === undefined) return
    const at = Date.now()
    const harm = (run_id: string, what: Harm) => void harmed.push({ index, run_id, harm: what, at: Date.now() })
    const did = await action
      .act({ world, dice, run, other, runs, knowledge, harm })
      .catch((error: unknown) => ({ variant: '?', result: 'refused' as const, detail: String(error) }))
    const { variant, result, detail = '', claim = null }: Did = did
    attempts.push({ index, kind, variant, run_id: run.id, result, detail, at, ms: Date.now() - at, claim })
  }

  return {
    attempts,
    harmed,
    async attack(indexes, on_start) {
      const left = [...indexes].reverse()
      const hand = async () => {
        for (let index = left.pop(); index !== undefined; index = left.pop()) {
          on_start?.(index)
          await one(index)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, hand))
    },
  }
}

function chooseKind(draw: number): string {
  const kinds = Object.entries(ACTIONS)
  let left = draw * kinds.reduce((sum, [, { weight }]) => sum + weight, 0)
  for (const [kind, { weight }] of kinds) {
    left -= weight
    if (left < 0) return kind
  }
  return 'look'
}
