import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The whole lines of the audit log of a service, which may be in the middle of writing another. */
export function chainLines(home: string): string[] {
  const text = readFileSync(join(home, 'audit.jsonl'), 'utf8')
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
}

/** Their events. */
export function chainEvents<Event>(home: string): Event[] {
  return chainLines(home).map((line) => (JSON.parse(line) as { event: Event }).event)
}
