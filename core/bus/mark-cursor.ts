import type { SubscriptionMark, SubscriptionState, SubscriptionStep } from './subscription.ts'

/** The cursor says something else than what this process knows. */
export const unsettled = ({ position, doubtful_to, marked }: SubscriptionState) =>
  position > marked.last_id || marked.reading_to > Math.max(position, doubtful_to)

/** At rest what this process did is in no doubt; what the one before did stays so until it is passed. */
export function settle(state: SubscriptionState, last: boolean): SubscriptionStep {
  return mark({ ...state, doing: { is: 'settling', last } }, 'at_rest', Math.max(state.position, state.doubtful_to))
}

/** Says in the database how far this process is, and up to where messages may be handled twice. */
export function mark(state: SubscriptionState, why: SubscriptionMark['why'], reading_to: number): SubscriptionStep {
  const { position: last_id, holder, marked, ended } = state
  const cleared = ended.processes === 0 || last_id >= ended.to
  return {
    // it may be written even if the answer is lost
    state: { ...state, marked: { ...marked, reading_to: Math.max(marked.reading_to, reading_to) } },
    commands: [{ do: 'mark', why, last_id, reading_to, holder, cleared }],
  }
}
