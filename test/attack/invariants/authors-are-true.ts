import type { AuditEvent } from '#core/audit/types.ts'
import type { Invariant } from '../breach.ts'
import type { Evidence } from '../evidence.ts'

/** what only those may stand for who did it; a run's other records are of the one who asked for it */
const DECISIONS = /^gate\.|cancel|expire|dismiss|reject/
const MACHINES = new Set(['temporal', 'system', 'svc'])

/** Anyone who stands on record as having acted did act; what came through the engine says so; machines are not called people. */
export const authorsAreTrue: Invariant = function* (evidence) {
  const { audit, votes, events, gates, people, cast, starter } = evidence
  const ids = new Set(evidence.runs.map(({ id }) => id))
  for (const event of audit.filter(({ run_id }) => run_id !== undefined && ids.has(run_id))) {
    const says = wrongAuthor(evidence, event)
    if (says !== undefined)
      yield { run_id: event.run_id ?? '', says: `audit record ${event.seq} ${event.action}: ${says}` }
  }
  for (const { run_id, gate_id, by, decision, asserted } of votes) {
    if (MACHINES.has(by) && asserted) continue
    const voted = cast.some((vote) => vote.gate_id === gate_id && vote.by === by && vote.decision === decision)
    if (!voted) yield { run_id, says: `the vote ${decision} of ${people[by] ?? by} was never cast` }
  }
  for (const { run_id, type, actor } of events) {
    const { id, type: kind } = actor ?? {}
    if (id === undefined) continue
    if (MACHINES.has(id) ? kind === 'user' : people[id] === undefined)
      yield { run_id, says: `event ${type} says that ${kind} ${id} did it` }
    else if (MACHINES.has(id) || (id === starter && !DECISIONS.test(type))) continue
    else if (!cast.some((vote) => vote.run_id === run_id && vote.by === id))
      yield { run_id, says: `event ${type} says that ${people[id]} did it, who did nothing` }
  }
  for (const { run_id, status, resolution } of gates) {
    const by = resolution?.['by']
    if (typeof by !== 'string' || MACHINES.has(by)) continue
    if (!cast.some((vote) => vote.run_id === run_id && vote.by === by))
      yield { run_id, says: `the gate is ${status} by ${people[by] ?? by}, who did nothing` }
  }
}

function wrongAuthor({ people, cast, starter }: Evidence, event: AuditEvent): string | undefined {
  const { actor, action, run_id } = event
  if (MACHINES.has(actor.id)) {
    if (actor.type === 'user') return `${actor.id} is called a user`
    return actor.auth === 'none' ? undefined : `${actor.id} is said to have proven who it is: ${actor.auth}`
  }
  const name = people[actor.id]
  if (name === undefined) return `${actor.type} ${actor.id} is nobody that we know`
  if (actor.type !== 'user') return `${name} is called ${actor.type}`
  if (actor.id === starter && !DECISIONS.test(action)) return undefined
  const did = cast.filter((vote) => vote.run_id === run_id && vote.by === actor.id).map(({ decision }) => decision)
  if (did.length === 0) return `${name} did nothing to this run`
  if (/cancel/.test(action) && !did.includes('cancel')) return `${name} never cancelled it`
  const decision = event.data['decision']
  if (typeof decision === 'string' && !did.some((each) => each === decision)) return `${name} never said ${decision}`
  return event.channel === 'temporal' ? `${name} never came through the engine` : undefined
}
