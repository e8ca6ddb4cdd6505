import { readFileSync } from 'node:fs'

/** Forward-only migrations in order; a name, once released, never changes its content. */
const NAMES = ['0001_create_schema', '0002_create_functions'] as const

export function readMigrations(): { name: string; text: string }[] {
  return NAMES.map((name) => ({ name, text: readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8') }))
}
