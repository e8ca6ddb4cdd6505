import { contributionText } from '#core/gate/contribution-text.ts'
import { contributorsOf } from '#core/gate/contributors.ts'
import { objectOf, textOf } from '#core/json/json.ts'
import type { PendingApproval, Person, ShapedBy } from '#core/run/approval-schema.ts'
import { retryText } from '#core/run/repeat.ts'
import { visible, visibleLine } from '#core/text/visible-text.ts'
import type { GatePeople } from '#store/gates/approval-views.ts'

/** Finds a person by id or address. */
export type PersonOf = (idOrEmail: string) => Person | undefined

/** A user who may answer gates also sees how to reach the others. */
export function peopleOf({ people, provenance }: GatePeople, withEmail: boolean): PersonOf {
  const { id: actorId, display: actorName } = objectOf(provenance['actor'])
  return (idOrEmail) => {
    const user = people.find(({ id, email }) => id === idOrEmail || email === idOrEmail.toLowerCase())
    if (user !== undefined) {
      const { id, display, email } = user
      return { id, display: visible(display), ...(withEmail && { email }) }
    }
    // a schedule, an ingress, or a user without authentication: the run has the name
    return idOrEmail === actorId && typeof actorName === 'string'
      ? { id: idOrEmail, display: visible(actorName) }
      : undefined
  }
}

/** Returns who requested the run of a gate, and for whom. */
export function gateRequester(
  { provenance }: GatePeople,
  personOf: PersonOf,
): { requester?: Person; on_behalf_of?: Person } {
  const { id } = objectOf(provenance['actor'])
  const { user_id: root } = objectOf(provenance['human_root'])
  const requester = typeof id === 'string' ? personOf(id) : undefined
  const on_behalf_of = typeof root === 'string' && root !== id ? personOf(root) : undefined
  return { ...(requester && { requester }), ...(on_behalf_of && { on_behalf_of }) }
}

/** Which failed run the run of a gate retries, and why that one failed. */
export function retryOf({ provenance }: Pick<GatePeople, 'provenance'>): Pick<PendingApproval, 'retry'> {
  const text = retryText(provenance)
  return text === undefined ? {} : { retry: { run_id: textOf(provenance['retry_of']), text: visibleLine(text) } }
}

/** Everyone who shaped the run of a gate, and by what. */
export function shapedBy({ provenance }: Pick<GatePeople, 'provenance'>, personOf: PersonOf): ShapedBy[] {
  return contributorsOf(provenance).map(({ id, ...by }) => {
    const person = personOf(id)
    return { id, ...(person && { person }), did: by.did, text: visible(contributionText(by)) }
  })
}
