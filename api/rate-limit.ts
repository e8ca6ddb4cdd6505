import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { DomainError } from '#core/errors.ts'

/** Limits requests per key; throws `rate_limited` with the time to wait. */
export interface RateLimit {
  take(key: string): Promise<void>
}

/** `peek` throws as `take` would, and counts nothing. */
export interface PeekableRateLimit extends RateLimit {
  peek(key: string): Promise<void>
}

const UNLIMITED: PeekableRateLimit = { take: async () => undefined, peek: async () => undefined }

/** `per_s` a second, with bursts of twice as many; 0 limits nothing. */
export function createRateLimit(perS: number): PeekableRateLimit {
  if (perS === 0) return UNLIMITED
  // a window of two seconds allows a burst of two seconds' worth, and the same rate in the long run
  return createWindow({ points: perS * 2, duration_s: 2 })
}

/** `per_s` a second over ten seconds, all of which may come at once: alerts come in storms. 0 limits nothing. */
export function createDeliveryLimit(perS: number): RateLimit {
  return perS === 0 ? UNLIMITED : createWindow({ points: perS * 10, duration_s: 10 })
}

/** `points` in each window of `duration_s`. */
function createWindow(options: { points: number; duration_s: number }): PeekableRateLimit {
  const limiter = new RateLimiterMemory({ points: options.points, duration: options.duration_s })
  const refusal = ({ msBeforeNext }: RateLimiterRes) =>
    new DomainError('rate_limited', 'Too many requests; slow down.', {
      retry_after_s: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
      limit: options.points,
    })
  return {
    async take(key) {
      try {
        await limiter.consume(key)
      } catch (refused) {
        throw refused instanceof RateLimiterRes ? refusal(refused) : refused
      }
    },
    async peek(key) {
      const counted = await limiter.get(key)
      if (counted !== null && counted.consumedPoints >= options.points) throw refusal(counted)
    },
  }
}

/** Limits questions to the ask agent; 0 means no limit. */
export function createTurnLimit(perMinute: number): RateLimit {
  if (perMinute === 0) return UNLIMITED
  return createWindow({ points: perMinute, duration_s: 60 })
}

/** Attempts to sign in a minute: five of one address on one user, sixty of one address altogether, and as many with wrong API keys. */
export function createLoginLimits(): { pair: RateLimit; ip: RateLimit; key: RateLimit } {
  const sixty = () => createWindow({ points: 60, duration_s: 60 })
  return { pair: createWindow({ points: 5, duration_s: 60 }), ip: sixty(), key: sixty() }
}
