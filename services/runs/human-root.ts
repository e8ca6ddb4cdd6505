import type { Caller } from '../context.ts'

/** Who a run goes back to: a person, also behind a service account. */
export function humanRoot({ actor, channel }: Pick<Caller, 'actor' | 'channel'>): { user_id?: string; via: string[] } {
  const user_id = actor.type === 'user' ? actor.id : actor.human_root
  const key = actor.key === undefined ? [] : [actor.key.id]
  const via = actor.type === 'user' ? [channel] : [...key, actor.id, channel]
  return { ...(user_id !== undefined && { user_id }), via }
}
