import { setTimeout as pause } from 'node:timers/promises'
import type { World } from '../world.ts'
import { type HonestRun, startRuns } from './runs.ts'
import { type CastVote, castVote, planVotes } from './votes.ts'

/** so many runs start while the attack is under way, so that there are tasks to be taken */
const LATER = 25

export interface People {
  runs: HonestRun[]
  cast: CastVote[]
  /** has come to its end when everybody has said what they had to say, or has given up */
  done: Promise<void>
  giveUp(): void
}

interface Options {
  world: World
  seed: number
  /** how many runs they start in all */
  total: number
  /** how much of the attack is over, from 0 to 1 */
  progress: () => number
}

/** Honest people at work: most runs are there before the attack, the rest start during it, and each is decided at its moment. */
export async function startPeople({ world, seed, total, progress }: Options): Promise<People> {
  const first = Math.max(1, total - LATER)
  const cast: CastVote[] = []
  let given_up = false
  const reached = async (moment: number) => {
    while (progress() < moment && !given_up) await pause(20)
  }
  const decide = (run: HonestRun) =>
    Promise.all(
      planVotes(seed, run).map(async (vote) => {
        await reached(vote.moment)
        await castVote(world, vote, cast, () => given_up)
      }),
    )
  const runs = await startRuns(world, seed, 0, first)
  const deciding: Promise<unknown>[] = runs.map(decide)
  const work = async () => {
    for (let nth = first; nth < total; nth += 1) {
      await reached((0.8 * (nth - first)) / LATER)
      const started = await startRuns(world, seed, nth, nth + 1)
      runs.push(...started)
      deciding.push(...started.map(decide))
    }
    await Promise.all(deciding)
  }
  return {
    runs,
    cast,
    done: work(),
    giveUp() {
      given_up = true
    },
  }
}
