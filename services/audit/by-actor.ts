import type { People } from '../auth/people.ts'
import type { AuditWish } from './read-audit.ts'

/** Records name who acted by id, and people know each other by mail address. An address of nobody fits no record. */
export async function byActor({ people }: { people: Pick<People, 'find'> }, wish: AuditWish): Promise<AuditWish> {
  if (wish.actor === undefined || !wish.actor.includes('@')) return wish
  const person = await people.find(wish.actor)
  return person === undefined ? wish : { ...wish, actor: person.id }
}
