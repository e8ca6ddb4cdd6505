import type { NoticeAsk } from './types.ts'

const NAMED = 5

/** Who may answer, in words: roles by their names, people by theirs. */
export function askWords({ need, clauses, people, prevent_self }: NoticeAsk): string {
  const count = `${need} ${need === 1 ? 'approval' : 'approvals'}`
  const by =
    clauses.length === 0
      ? `anybody who may approve${namesOf(people)}`
      : clauses.map(({ any_of, people: named }) => `${any_of.join(' or ')}${namesOf(named)}`).join(', and ')
  return `${count} by ${by}${prevent_self ? '; not by whoever asked for it' : ''}`
}

/** What an open gate lacks after the votes that it has; undefined while it has none. */
export function missingWords({ need, have, clauses }: NoticeAsk): string | undefined {
  if (have === 0) return undefined
  const missing = clauses.filter(({ met }) => !met).map(({ any_of }) => any_of.join(' or '))
  const more = Math.max(0, need - have)
  const parts = [
    ...(more > 0 ? [`${more} more ${more === 1 ? 'approval' : 'approvals'}`] : []),
    ...(missing.length > 0 ? [`the agreement of ${missing.join(', and of ')}`] : []),
  ]
  return parts.length === 0 ? undefined : `${parts.join(', with ')} (${have} of ${need} are there)`
}

function namesOf(people: string[]): string {
  if (people.length === 0) return ''
  const more = people.length - NAMED
  return ` (${people.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''})`
}
