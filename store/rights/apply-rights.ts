import { ASK_ROLE } from '../ask/ask-role.ts'
import type { Db, Statements } from '../db.ts'
import { RoleProblem } from '../schema-problem.ts'
import { undisturbed } from '../sql/lock-conflicts.ts'
import { compareRights, type Difference } from './compare-rights.ts'
import { readRights } from './read-rights.ts'
import { APP_ROLE, SERVICE_ROLES } from './release-rights.ts'

/** Roles that must have every right of the release: the role of the services, and that of the ask agent where there is one. */
export interface Complete {
  app: boolean
  ask: boolean
}

const PASSES = 3

/**
 * Applies the rights of the release, whatever a dump or a person has changed: only differences are written. Throws RoleProblem where the
 * migrating role may not change them.
 */
export async function applyRights(db: Db, complete: Complete): Promise<void> {
  await undisturbed(() =>
    db.begin(async (tx) => {
      // roles belong to the server, their grants to this database
      await tx`select pg_advisory_xact_lock(hashtext('svc:app-role'))`
      let differences = await findDifferences(tx, complete)
      // a revoke on a table revokes its columns too, which the next pass grants again
      for (let pass = 1; differences.length > 0; pass += 1) {
        if (pass > PASSES) throw new RoleProblem(describeDifferences(differences))
        await repair(tx, differences)
        differences = await findDifferences(tx, complete)
      }
    }),
  )
}

async function repair(tx: Statements, differences: readonly Difference[]): Promise<void> {
  const statements = differences.flatMap(({ statement }) => statement ?? [])
  await tx.unsafe(statements.join(';\n')).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error
    throw new RoleProblem(`${describeDifferences(differences)}. It cannot be changed: ${error.message}`)
  })
}

/** Returns the differences between the rights of this database and those of the release; empty without a schema. */
export async function findDifferences(db: Statements, complete: Complete): Promise<Difference[]> {
  const rights = await readRights(db, SERVICE_ROLES)
  if (rights === undefined) return []
  return compareRights(rights, [...(complete.app ? [APP_ROLE] : []), ...(complete.ask ? [ASK_ROLE] : [])])
}

const MAX_LISTED = 3

/** The first differences, in one sentence without an end. */
export function describeDifferences(differences: readonly Difference[]): string {
  const first = differences.slice(0, MAX_LISTED).map(({ text }) => text)
  const more = differences.length - first.length
  return `The rights in this database are not those of this release: ${first.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
