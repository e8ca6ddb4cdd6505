import { mayEnter } from '../auth/may.ts'
import type { People } from '../auth/people.ts'
import type { AuditWish } from './read-audit.ts'

/**
 * Records name who acted by id, and people know each other by mail address. An address of nobody who belongs to the workspace fits no
 * record.
 */
export async function byActor(
  { people, workspace_id }: { people: Pick<People, 'find'>; workspace_id: string },
  wish: AuditWish,
): Promise<AuditWish> {
  if (wish.actor === undefined || !wish.actor.includes('@')) return wish
  const person = await people.find(wish.actor)
  return person === undefined || !mayEnter(person, workspace_id) ? wish : { ...wish, actor: person.id }
}
