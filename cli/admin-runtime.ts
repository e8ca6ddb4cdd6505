import { userInfo } from 'node:os'
import { join } from 'node:path'
import { DomainError } from '#core/errors.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import type { Config } from '#platform/config.ts'
import { createConnectionBox } from '#platform/connection-box.ts'
import { runningDatabase } from '#platform/embedded/running-database.ts'
import { readSecretKey } from '#platform/embedded/secret-key.ts'
import { createIds, holderName } from '#platform/ids.ts'
import { createPasswords } from '#platform/password.ts'
import { type AcceptDeps, type Accepted, acceptLog } from '#services/audit/accept-log.ts'
import { bootstrapOwner } from '#services/auth/ensure-first-owner.ts'
import { redriveLetters } from '#services/bus/redrive-letters.ts'
import { type Resealed, resealSecrets } from '#services/connections/reseal-secrets.ts'
import { createAuditOutbox } from '#store/audit/audit-outbox.ts'
import { createDeadLetters, type DeadLetters } from '#store/bus/dead-letters.ts'
import { createConnectionStore } from '#store/connections/connections.ts'
import { createDb, whyUnreachable } from '#store/db.ts'
import { createHaltStore, type HaltInForce } from '#store/halts.ts'
import { createHealthViews } from '#store/health.ts'
import { createLeases, type Leases } from '#store/leases.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import type { FirstOwner } from './deps.ts'

const REFUSED = {
  exists: 'there is an owner already: let that one invite you',
  email_taken: 'a user without the role of an owner has this address already: choose another one',
} as const

/** Makes the first owner in the configured database, or in the running embedded one. Throws `conflict` when there is an owner. */
export async function bootstrapOwnerIn(config: Config, owner: FirstOwner): Promise<void> {
  const databaseUrl = config.databaseUrl ?? (await runningDatabase(config.home))
  const ports = { passwords: createPasswords(), ids: createIds(), clock: Date.now }
  const outcome = await reachable(bootstrapOwner({ databaseUrl, ...owner, ...ports }))
  if (outcome !== 'created') throw new DomainError('conflict', REFUSED[outcome])
}

/** Opens the dead letters of that database. */
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

/** Seals the secrets of connections in that database with the first key of the ring. Throws `not_configured` without a key. */
export async function resealSecretsIn(config: Config): Promise<Resealed> {
  // the master key of an embedded service stands in its home
  const master = config.environment.SVC_SECRET_KEY ?? (await readSecretKey(config.home).catch(() => undefined))
  const box = createConnectionBox(
    master === undefined ? config.connectionKeys : [...(config.environment.SVC_SECRET_KEYS ?? []), master],
  )
  if (box === undefined) throw new DomainError('not_configured', 'set SVC_SECRET_KEYS, as the service has it')
  const db = createDb(config.databaseUrl ?? (await runningDatabase(config.home)), { max: 1, name: 'svc-secrets' })
  try {
    const ports = { store: createConnectionStore(db), box, ids: createIds(), clock: Date.now }
    return await reachable(resealSecrets(ports))
  } finally {
    await db.end({ timeout: 2 })
  }
}

/** A worker that does not lead holds the lease briefly every few seconds. */
const LEASE_ATTEMPTS = 50
const LEASE_RETRY_MS = 100

/** Copies records that only the audit log has into that database. Throws `conflict` while a worker writes the log. */
export async function acceptAuditIn(config: Config, reason: string): Promise<Accepted> {
  const databaseUrl = config.databaseUrl ?? (await runningDatabase(config.home))
  const db = createDb(databaseUrl, { max: 1, name: 'svc-audit' })
  const leases = createLeases(databaseUrl, holderName())
  try {
    const lease = await reachable(auditLease(leases))
    if (lease === undefined)
      throw new DomainError('conflict', 'a worker writes the audit log: it agrees with the database already')
    const path = join(config.home, 'audit.jsonl')
    const verify: AcceptDeps['verify'] = (onRecord) =>
      verifyFile(path, { onRecord }).catch((cause: unknown) => {
        throw new DomainError('audit_unavailable', `the audit log cannot be read: ${String(cause)}`, {}, { cause })
      })
    const ports = { outbox: createAuditOutbox(db), token: lease.token, verify, ids: createIds(), clock: Date.now }
    return await acceptLog(ports, { reason, os_user: userInfo().username }).finally(lease.release)
  } finally {
    await leases.close()
    await db.end({ timeout: 2 })
  }
}

/** The halts in force over all workspaces, in the database at this address, and the names of the workspaces. */
export async function haltsIn(
  databaseUrl: string,
): Promise<{ halts: HaltInForce[]; names: ReadonlyMap<string, string> }> {
  const db = createDb(databaseUrl, { max: 1, name: 'svc-halts' })
  try {
    const halts = await createHaltStore(db).list('*')
    const ids = halts.flatMap(({ scope }) => scope.workspace ?? [])
    const workspaces = await createWorkspaceStore(db).list(ids, { limit: ids.length })
    return { halts, names: new Map(workspaces.map(({ id, name }) => [id, name])) }
  } finally {
    await db.end({ timeout: 2 })
  }
}

/** Returns why the audit log of that database accepts no records, which stops all effects; undefined for none. */
export async function auditProblemIn(databaseUrl: string): Promise<string | undefined> {
  const db = createDb(databaseUrl, { max: 1, name: 'svc-health' })
  try {
    return (await createHealthViews(db).auditProblem()) ?? undefined
  } finally {
    await db.end({ timeout: 2 })
  }
}

async function auditLease(leases: Leases) {
  for (let attempt = 1; attempt <= LEASE_ATTEMPTS; attempt += 1) {
    const lease = await leases.take('audit')
    if (lease !== undefined) return lease
    await new Promise((resolve) => setTimeout(resolve, LEASE_RETRY_MS))
  }
  return undefined
}

async function reachable<Result>(work: Promise<Result>): Promise<Result> {
  return await work.catch((cause: unknown) => {
    if (!(cause instanceof Error) || whyUnreachable(cause) === undefined) throw cause
    throw new DomainError('dependency_unavailable', `the database cannot be used: ${cause.message}`, {}, { cause })
  })
}
