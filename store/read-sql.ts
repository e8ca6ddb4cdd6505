import { readdirSync, readFileSync } from 'node:fs'

/** The files of SQL in a folder, in the order of their names. */
export function readSql(folder: URL): { name: string; text: string }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -'.sql'.length), text: readFileSync(new URL(file, folder), 'utf8') }))
}
