import type { DomainError } from '#core/errors.ts'

interface Flight {
  tail: Promise<unknown>
  waiting: number
  final: boolean
}

/**
 * Sends one command at a time per gate (or run) and process: a thousand decisions at once become one Update and cheap refusals, and the
 * engine's limit of concurrent updates is never reached.
 */
export function createCommandFlights(tooLate: (key: string) => DomainError) {
  const flights = new Map<string, Flight>()
  return {
    /** `isFinal` tells whether commands that wait behind this one are too late. */
    async next<Answer>(
      key: string,
      send: () => Promise<Answer>,
      isFinal: (answer: Answer) => boolean,
    ): Promise<Answer> {
      const flight = flights.get(key) ?? { tail: Promise.resolve(), waiting: 0, final: false }
      flights.set(key, flight)
      flight.waiting += 1
      const turn = flight.tail.then(async () => {
        if (flight.final) throw tooLate(key)
        const answer = await send()
        flight.final = isFinal(answer)
        return answer
      })
      flight.tail = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        flight.waiting -= 1
        if (flight.waiting === 0) flights.delete(key)
      }
    },
  }
}
