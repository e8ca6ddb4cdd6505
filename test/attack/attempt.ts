import type { Dice } from './dice.ts'
import { RefusedUpdate } from './engine.ts'
import type { HonestRun } from './honest/runs.ts'
import type { Knowledge } from './knowledge.ts'
import type { World } from './world.ts'

/**
 * What the adversary did to a run that may legitimately keep it from succeeding. `ended`: the engine was told to end it, or an
 * activity of it was failed or answered by somebody else. `terminated`: its workflow was ended there and then. `seized`: a foreign
 * worker answered in the workflow's place, so what the engine keeps of it is whatever that worker said.
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
  /** the gate that a claim was about which our workers must have on record as refused, or `run` */
  claim: string | null
}

export interface Did {
  variant: string
  result: Result
  detail?: string
  claim?: string | null
}

/** All that an action sees: one run that it aims at, another to take things from, and a mind of its own. */
export interface Situation {
  world: World
  dice: Dice
  run: HonestRun
  other: HonestRun
  runs: readonly HonestRun[]
  knowledge: Knowledge
  /** notes what was done to a run, before it is done */
  harm(run_id: string, harm: Harm): void
}

export interface Action {
  /** how often it is chosen, relative to the others */
  weight: number
  act(situation: Situation): Promise<Did>
}

/** Refusals of whatever comes after the end; nothing was claimed that is not so. */
const TOO_LATE = new Set(['gate_resolved', 'run_terminal', 'run_not_awaiting', 'conflict'])

/** Does something at the engine's port; an error there is a refusal, told apart from what the engine took. */
export async function attempt(variant: string, act: () => Promise<unknown>, claim: string | null = null): Promise<Did> {
  try {
    const answer = await act()
    const detail = typeof answer === 'string' ? answer.slice(0, 200) : ''
    return { variant, result: 'taken', detail, claim }
  } catch (error) {
    const isAnswered = error instanceof RefusedUpdate && !TOO_LATE.has(error.code)
    return { variant, result: 'refused', detail: String(error).slice(0, 200), claim: isAnswered ? claim : null }
  }
}
