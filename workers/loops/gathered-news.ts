/** Between two looks at a pipeline; what comes meanwhile is taken in together. */
const REST_MS = 30
/** The longest that news wait for others without which nothing follows from them. */
const GATHER_MS = 200

/** How long the news of a pipeline wait for others that are taken in by the same look. */
export function createGatheredNews(now: () => number) {
  const looks = new Map<string, { at: number; awaited: number }>()

  return {
    /** A look has ended, and awaits so many news before anything follows from them. */
    looked(id: string, awaited: number): void {
      looks.set(id, { at: now(), awaited })
    },

    /** How long until it is looked at again, of which there are so many news. */
    waitOf(id: string, news: number): number {
      const last = looks.get(id)
      if (last === undefined) return 0
      const rest = last.awaited === 1 ? REST_MS : news < last.awaited ? GATHER_MS : 0
      return Math.max(0, last.at + rest - now())
    },

    /** Lets go of what no longer keeps any news waiting. */
    sweep(): void {
      for (const [id, { at }] of looks) if (at + GATHER_MS < now()) looks.delete(id)
    },
  }
}
