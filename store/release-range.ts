import { readMigrations } from './migrations/index.ts'

/**
 * The oldest release whose processes may run on the schema of this one, by the last migration that it knows. A release that changes what
 * older processes rely on moves it to a migration of its own; everybody before that has to be stopped before it migrates.
 */
export const OLDEST_RELEASE = '0001_create_schema'

/** A release is known by the last migration that it brings. */
export const thisRelease = (): string => readMigrations().at(-1)?.name ?? ''
