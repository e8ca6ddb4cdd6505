import type { GateOutcome } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'

interface Flight {
  tail: Promise<unknown>
  waiting: number
  resolved: boolean
}

/**
 * One decision on its way per gate and process: a thousand hands become one Update and refusals that cost nothing,
 * and the engine's limit of concurrent updates is never met.
 */
export function createGateFlights() {
  const flights = new Map<string, Flight>()
  return {
    async next(gateId: string, decide: () => Promise<GateOutcome>): Promise<GateOutcome> {
      const flight = flights.get(gateId) ?? { tail: Promise.resolve(), waiting: 0, resolved: false }
      flights.set(gateId, flight)
      flight.waiting += 1
      const turn = flight.tail.then(async () => {
        if (flight.resolved)
          throw new DomainError('gate_resolved', 'the gate was resolved by somebody else', { gate_id: gateId })
        const outcome = await decide()
        flight.resolved = outcome.resolved
        return outcome
      })
      flight.tail = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        flight.waiting -= 1
        if (flight.waiting === 0) flights.delete(gateId)
      }
    },
  }
}
