import { readSql } from '../read-sql.ts'

/** Forward-only migrations in the order of their names; a file, once released, never changes. */
export const readMigrations = () => readSql(new URL('.', import.meta.url))
