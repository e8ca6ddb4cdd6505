import { readdirSync, readFileSync } from 'node:fs'

/** Forward-only migrations in the order of their names; a file, once released, never changes. */
export function readMigrations(): { name: string; text: string }[] {
  return readdirSync(new URL('.', import.meta.url))
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      name: file.slice(0, -'.sql'.length),
      text: readFileSync(new URL(file, import.meta.url), 'utf8'),
    }))
}
