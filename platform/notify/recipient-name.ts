import { createHash } from 'node:crypto'

/** The name of a recipient with what tells it from others of that name; it gives away nothing of that. */
export function recipientName(name: string, by: string): string {
  return `${name}#${createHash('sha256').update(by).digest('hex').slice(0, 8)}`
}
