import type { Dice } from './dice.ts'
import type { HonestRun } from './honest/runs.ts'
import type { Knowledge } from './knowledge.ts'
import type { World } from './world.ts'

/**
 * What the adversary did to a run that may legitimately keep it from succeeding. `ended`: the engine was told to end it.
 * `terminated`: its workflow was ended there and then. `seized`: a foreign worker answered for it, so its engine-side state is
 * whatever that worker said.
 */
export type Harm = 'ended' | 'terminated' | 'seized'

/** How an attempt went: the engine took it, somebody refused it, or nothing was there to act on. */
export type Result = 'taken' | 'refused' | 'nothing'

export interface Attempt {
  index: number
  kind: string
  variant: string
  run_id: string
  result: Result
  detail: string
  at: number
  ms: number
  /** a claim about this run reached our workers, which must have it on record as refused */
  claim: boolean
}

export interface Did {
  variant: string
  result: Result
  detail?: string
  claim?: boolean
}

/** All that an action sees: one run that it aims at, another to take things from, and a mind of its own. */
export interface Situation {
  world: World
  dice: Dice
  run: HonestRun
  other: HonestRun
  knowledge: Knowledge
  /** notes what was done to a run, before it is done */
  harm(run_id: string, harm: Harm): void
}

export interface Action {
  /** how often it is chosen, relative to the others */
  weight: number
  act(situation: Situation): Promise<Did>
}

/** Does something at the engine's door; an error there is a refusal, told apart from what the engine took. */
export async function attempt(variant: string, act: () => Promise<unknown>, claim = false): Promise<Did> {
  try {
    const answer = await act()
    const detail = typeof answer === 'string' ? answer.slice(0, 200) : ''
    return { variant, result: 'taken', detail, claim }
  } catch (error) {
    return { variant, result: 'refused', detail: String(error).slice(0, 200) }
  }
}
