import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** Names this process among all that ask for a lease: one that starts later is another, also with the same id on the same host. */
export function holderName(): string {
  return `${hostname()}:${process.pid}:${randomUUID()}`
}
