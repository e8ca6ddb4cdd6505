import { readdirSync, readFileSync } from 'node:fs'

/** The files of SQL in a folder, in the order of their names. */
function readSql(folder: URL): { name: string; text: string }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -'.sql'.length), text: readFileSync(new URL(file, folder), 'utf8') }))
}

/** Forward-only migrations in the order of their names; a file, once released, never changes. */
export const readMigrations = () => readSql(new URL('./migrations/', import.meta.url))

/** Reads every function of the database, in the order of the file names. */
export const readFunctions = () => readSql(new URL('./functions/', import.meta.url))
