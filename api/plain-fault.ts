import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** Messages of the validator itself. */
const VALIDATOR_MESSAGE = /^(Invalid|Too (small|big)|Unrecognized)\b/

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/** Describes what is wrong with a value, as the end of a sentence that its name begins: "must be a whole number". */
export function plainFault(issue: Issue): string {
  if (!VALIDATOR_MESSAGE.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is missing'
      return `must be ${KINDS[issue.expected] ?? `of the type ${issue.expected}`}`
    case 'too_small':
      return `must ${bound(issue.origin, 'at least', Number(issue.minimum))}`
    case 'too_big':
      return `must ${bound(issue.origin, 'at most', Number(issue.maximum))}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return `takes no ${issue.keys.map((key) => JSON.stringify(key.slice(0, 80))).join(', ')}`
    case 'invalid_format':
      return issue.format === 'regex' ? 'is not of the right form' : `is not a valid ${issue.format}`
    default:
      return issue.message
  }
}

function bound(origin: string, most: 'at least' | 'at most', limit: number): string {
  const many = limit === 1 ? '' : 's'
  if (origin === 'string') return `have ${most} ${limit} character${many}`
  if (origin === 'array' || origin === 'set') return `have ${most} ${limit} item${many}`
  return `be ${most} ${limit}`
}
