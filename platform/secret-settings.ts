import { readFileSync } from 'node:fs'
import { environmentSchema, isSetting, metaOf, type SettingName } from './config-schema.ts'

export interface ConfigProblem {
  name: string
  got: string
  takes: string
}

type Variables = Readonly<Record<string, string | undefined>>

/** Far more than any secret has, and a bound on reading any file that the name may point at. */
const MAX_BYTES = 65_536

/** Settings that are secret: each may be in a file that `<name>_FILE` names, as container engines provide secrets. */
const SECRET_SETTINGS: readonly SettingName[] = Object.keys(environmentSchema.shape)
  .filter(isSetting)
  .filter((name) => metaOf(name).secret !== undefined)

/** Names of the settings that name files of secrets. */
export const SECRET_FILE_SETTINGS: readonly string[] = SECRET_SETTINGS.map((name) => `${name}_FILE`)

/** Returns the variables, with every secret from a file as if it were a variable itself. */
export function readSecretSettings(env: Variables): { env: Variables; problems: ConfigProblem[] } {
  const read: Record<string, string> = {}
  const problems: ConfigProblem[] = []
  for (const name of SECRET_SETTINGS) {
    const path = env[`${name}_FILE`]
    if (!path) continue
    const found = env[name] ? { problem: `nothing while ${name} is set: one of the two` } : readSecret(path)
    if ('value' in found) read[name] = found.value
    else problems.push({ name: `${name}_FILE`, got: JSON.stringify(path.slice(0, 200)), takes: found.problem })
  }
  return { env: { ...env, ...read }, problems }
}

/** Clears the names of secret files for a child, which would inherit them. */
export function withoutSecretFiles(): Record<string, string> {
  return Object.fromEntries(SECRET_SETTINGS.map((name) => [`${name}_FILE`, '']))
}

function readSecret(path: string): { value: string } | { problem: string } {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.length > MAX_BYTES) return { problem: `a file of at most ${MAX_BYTES} bytes` }
    const value = text.replace(/\r?\n$/, '')
    return value === '' ? { problem: 'a path to a file that holds the secret; this one is empty' } : { value }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return { problem: `a path to a file that can be read (${code})` }
  }
}
