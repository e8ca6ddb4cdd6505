import { DomainError } from '#core/errors.ts'
import type { HaltRecord } from '#core/halt/schema.ts'
import type { Config } from '#platform/config.ts'
import { runningDatabase } from '#platform/embedded/running-database.ts'
import { createIds } from '#platform/ids.ts'
import { createPasswords } from '#platform/password.ts'
import { bootstrapOwner } from '#services/auth/bootstrap-owner.ts'
import { redriveLetters } from '#services/bus/redrive-letters.ts'
import { listHalts } from '#services/halts/list-halts.ts'
import { createDb } from '#store/db.ts'
import { createDeadLetters, type DeadLetters } from '#store/dead-letters.ts'
import { createHaltStore } from '#store/halts.ts'
import type { FirstOwner } from './deps.ts'

const REFUSED = {
  exists: 'there is an owner already: let that one invite you',
  email_taken: 'somebody without the role of an owner has this address already: take another one',
} as const

/** Makes the first owner in the database that the settings name, or in the embedded one that runs. Throws `conflict` when there is an owner. */
export async function bootstrapOwnerIn(config: Config, owner: FirstOwner): Promise<void> {
  const databaseUrl = config.databaseUrl ?? (await runningDatabase(config.home))
  const ports = { passwords: createPasswords(), ids: createIds(), clock: Date.now }
  const outcome = await reachable(bootstrapOwner({ databaseUrl, ...owner, ...ports }))
  if (outcome !== 'created') throw new DomainError('conflict', REFUSED[outcome])
}

/** Looks after the dead letters of that database. */
export async function withDeadLetters<Result>(
  config: Config,
  work: (letters: DeadLetters) => Promise<Result>,
): Promise<Result> {
  const db = createDb(config.databaseUrl ?? (await runningDatabase(config.home)), { max: 1, name: 'svc-dead-letters' })
  try {
    return await reachable(work(createDeadLetters(db)))
  } finally {
    await db.end({ timeout: 2 })
  }
}

/** Sends dead letters of that database through their subscriber once more; answers how many. */
export async function redriveIn(config: Config, subscriber: string, messages: number[] | 'all'): Promise<number> {
  const ports = { ids: createIds(), clock: Date.now }
  return await withDeadLetters(config, (letters) => redriveLetters({ letters, ...ports }, subscriber, messages))
}

/** The halts in force over all workspaces, in the database at this address. */
export async function haltsIn(databaseUrl: string): Promise<HaltRecord[]> {
  const db = createDb(databaseUrl, { max: 1, name: 'svc-halts' })
  try {
    return await listHalts({ actor: { workspaces: '*' }, halts: createHaltStore(db) })
  } finally {
    await db.end({ timeout: 2 })
  }
}

async function reachable<Result>(work: Promise<Result>): Promise<Result> {
  return await work.catch((cause: unknown) => {
    if (!(cause instanceof Error) || !('code' in cause) || !isConnection(String(cause.code))) throw cause
    throw new DomainError('dependency_unavailable', `the database cannot be used: ${cause.message}`, {}, { cause })
  })
}

/** Codes of the operating system, of the driver, and PostgreSQL's classes 08 (connection) and 28 (authorization). */
function isConnection(code: string): boolean {
  return /^(E[A-Z]+|CONN\w+|CONNECT\w+|08\w{3}|28\w{3}|3D000)$/.test(code)
}
