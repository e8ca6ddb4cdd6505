import { createLru } from '#core/lru.ts'
import type { NewsAwaited } from '#core/pipeline/awaited-updates.ts'

/** Between two looks at a pipeline; what comes meanwhile is taken in together. */
const REST_MS = 30
/** The longest that news wait for others without which nothing follows from them. */
const GATHER_MS = 200
/** Of how many pipelines the last look is remembered; the news of others are taken in at once. */
const REMEMBERED = 10_000

interface LastLook extends NewsAwaited {
  at: number
  /** when the first news since then were found */
  news_at?: number
}

/** Which news of a pipeline wait, and how long, for others that are taken in by the same look. */
export function createGatheredNews(now: () => number) {
  const looks = createLru<string, LastLook>(REMEMBERED)

  return {
    /** A look of this process has ended. */
    looked(id: string, awaited: NewsAwaited): void {
      looks.set(id, { ...awaited, at: now() })
    },

    /** How long until the news of a pipeline are taken in, of which there are so many. */
    waitOf(id: string, news: number): number {
      const last = looks.get(id)
      if (last === undefined) return 0
      last.news_at ??= now()
      if (last.count === 1) return Math.max(0, last.at + REST_MS - now())
      return news >= last.count ? 0 : Math.max(0, last.news_at + GATHER_MS - now())
    },

    /** Whether so many news are likely to be the last of a pipeline. */
    areLast(id: string, news: number): boolean {
      const last = looks.get(id)
      return last?.ends === true && news >= last.count
    },
  }
}

export type GatheredNews = ReturnType<typeof createGatheredNews>
