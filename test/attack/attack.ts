import { createAdversary } from './adversary.ts'
import { type Breach, checkInvariants } from './breach.ts'
import { type Evidence, gatherEvidence } from './evidence.ts'
import { startPeople } from './honest/people.ts'
import { INVARIANTS } from './invariants/index.ts'
import { createKnowledge } from './knowledge.ts'
import { settled } from './settled.ts'
import type { World } from './world.ts'

export interface AttackOptions {
  seed: number
  /** numbers of the actions to be carried out */
  actions: readonly number[]
  /** how many gated runs there are */
  runs?: number
}

export interface AttackReport {
  breaches: Breach[]
  evidence: Evidence
  seconds: number
}

/** One attack: gated runs, people who decide some of them, and an adversary who reaches the engine's port; then the truth of it. */
export async function runAttack(
  world: World,
  { seed, actions, runs: total = 50 }: AttackOptions,
): Promise<AttackReport> {
  const began = Date.now()
  world.engine.answers.length = 0
  let started = 0
  const progress = () => (actions.length === 0 ? 1 : started / actions.length)
  const people = await startPeople({ world, seed, total, progress })
  const { runs, cast } = people
  const adversary = createAdversary({ world, seed, knowledge: createKnowledge(world), runs, total })
  await adversary.attack(actions, () => {
    started += 1
  })
  await settled(world, runs, total, adversary)
  people.giveUp()
  await people.done
  const { attempts, harmed } = adversary
  const evidence = await gatherEvidence(world, { seed, began, runs, cast, attempts, harmed })
  return { breaches: checkInvariants(INVARIANTS, evidence), evidence, seconds: (Date.now() - began) / 1_000 }
}
