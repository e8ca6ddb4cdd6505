import { setTimeout as pause } from 'node:timers/promises'
import { type Adversary, createAdversary } from './adversary.ts'
import { type Breach, checkInvariants } from './breach.ts'
import { type Evidence, gatherEvidence } from './evidence.ts'
import { expectedStatus } from './expected-status.ts'
import { type HonestRun, startRuns } from './honest/runs.ts'
import { type CastVote, castVote, planVotes } from './honest/votes.ts'
import { INVARIANTS } from './invariants/index.ts'
import { createKnowledge } from './knowledge.ts'
import type { World } from './world.ts'

const RUNS = 50
/** so many runs start while the attack is under way, so that there are tasks to be taken */
const LATER = 15
/** what was delayed by a task that was taken and kept has until here: a task's timeout, the workflow task's, and some */
const SETTLE_MS = 40_000

export interface AttackOptions {
  seed: number
  /** numbers of the actions to be carried out */
  actions: readonly number[]
  runs?: number
}

export interface AttackReport {
  breaches: Breach[]
  evidence: Evidence
  seconds: number
}

/** One attack: gated runs, people who decide some of them, and an adversary at the engine's door; then the truth of it. */
export async function runAttack(
  world: World,
  { seed, actions, runs: total = RUNS }: AttackOptions,
): Promise<AttackReport> {
  const began = Date.now()
  world.engine.heard.length = 0
  const first = Math.max(1, total - LATER)
  const runs = await startRuns(world, seed, 0, first)
  const knowledge = createKnowledge(world)
  const adversary = createAdversary({ world, seed, knowledge, runs, total })
  const cast: CastVote[] = []
  let over = false
  const voting: Promise<void>[] = []
  const done = { actions: 0 }
  const progress = () => done.actions / Math.max(1, actions.length)

  const later = (async () => {
    for (let nth = first; nth < total; nth += 1) {
      while (!over && progress() < (0.8 * (nth - first)) / LATER) await pause(20)
      runs.push(...(await startRuns(world, seed, nth, nth + 1)))
    }
  })()
  const votes = (run: HonestRun) => planVotes(seed, run)
  const people = (async () => {
    const asked = new Set<HonestRun>()
    while (!over || asked.size < total) {
      for (const run of runs) {
        if (asked.has(run)) continue
        asked.add(run)
        for (const vote of votes(run)) {
          voting.push(
            (async () => {
              while (!over && progress() < vote.moment) await pause(20)
              await castVote(world, vote, cast, () => Date.now() > deadline())
            })(),
          )
        }
      }
      await pause(20)
    }
  })()
  let ended_at = Number.POSITIVE_INFINITY
  const deadline = () => ended_at + SETTLE_MS
  await adversary.attack(actions, () => {
    done.actions += 1
  })
  ended_at = Date.now()
  over = true
  await later
  await people
  await settled(world, runs, adversary, deadline())
  await Promise.all(voting)
  const { attempts, harmed } = adversary
  const evidence = await gatherEvidence(world, { seed, began, runs, cast, attempts, harmed })
  return { breaches: checkInvariants(INVARIANTS, evidence), evidence, seconds: (Date.now() - began) / 1_000 }
}

/** Waits until every run is where it should be, and those that were stopped have ended; what is not there by then is a finding. */
async function settled({ service }: World, runs: HonestRun[], { harmed }: Adversary, deadline: number): Promise<void> {
  const ids = runs.map(({ id }) => id)
  while (Date.now() < deadline) {
    const rows = await service.database.db<{ id: string; status: string; ended: boolean }[]>`
      select id, status, ended_at is not null as ended from runs where id = any(${ids})`
    const unsettled = rows.filter(({ id, status, ended }) => {
      const run = runs.find((each) => each.id === id)
      if (run === undefined || status === expectedStatus(run)) return false
      return !(ended && harmed.some((each) => each.run_id === id))
    })
    if (unsettled.length === 0) return
    await pause(200)
  }
}
