import type { PolicyVerdict } from './types.ts'

/** Why policies refuse a step; undefined where none does. */
export function denialOf({ effect, matched }: PolicyVerdict): { code: 'PolicyDenied'; message: string } | undefined {
  if (effect !== 'deny') return undefined
  const denying = matched.filter((match) => match.effect === 'deny')
  return { code: 'PolicyDenied', message: denying.map(({ name, reason }) => `${name}: ${reason}`).join('; ') }
}
