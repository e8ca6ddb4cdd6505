import { readdirSync, readFileSync } from 'node:fs'

/** Every function of the database as it is now, in the order of the files' names. */
export function readFunctions(): { name: string; text: string }[] {
  return readdirSync(new URL('.', import.meta.url))
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      name: file.slice(0, -'.sql'.length),
      text: readFileSync(new URL(file, import.meta.url), 'utf8'),
    }))
}
