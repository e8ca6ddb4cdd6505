import { readSql } from '../read-sql.ts'

/** Every function of the database as it is now, in the order of the files' names. */
export const readFunctions = () => readSql(new URL('.', import.meta.url))
