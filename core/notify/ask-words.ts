import type { NoticeAsk } from './types.ts'

const NAMED = 5

/** Who may answer, in words: roles by their names, people by theirs. */
export function askWords({ need, clauses, people, prevent_self }: NoticeAsk): string {
  const count = `${need} ${need === 1 ? 'approval' : 'approvals'}`
  const anybody = `anybody who may approve${namesOf(people)}`
  const roles = clauses.map(({ any_of, people: named }) => `${any_of.join(' or ')}${namesOf(named)}`).join(', and ')
  const others = need > clauses.length ? `, the ${need - clauses.length === 1 ? 'other' : 'others'} by ${anybody}` : ''
  const by = clauses.length === 0 ? anybody : `${roles}${others}`
  return `${count} by ${by}${prevent_self ? '; not by whoever asked for it' : ''}`
}

function namesOf(people: string[]): string {
  if (people.length === 0) return ''
  const more = people.length - NAMED
  return ` (${people.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''})`
}
