import { readFileSync } from 'node:fs'
import { DomainError } from '#core/errors.ts'

export type SecretEnvironment = Readonly<Record<string, string | undefined>>

/** The value behind `env:NAME` or `file:path`. Throws `not_configured` that names the reference, never the value. */
export function resolveSecret(reference: string, env: SecretEnvironment): string {
  const value = read(reference, env)?.trim()
  if (value !== undefined && value !== '') return value
  throw new DomainError('not_configured', `the secret ${reference} is not set`, { reference })
}

function read(reference: string, env: SecretEnvironment): string | undefined {
  if (reference.startsWith('env:')) {
    const name = reference.slice('env:'.length)
    return Object.hasOwn(env, name) ? env[name] : undefined
  }
  if (reference.startsWith('file:')) return readSecretFile(reference)
  throw new DomainError('not_configured', 'a secret is given as env:NAME or file:path, never as itself')
}

function readSecretFile(reference: string): string | undefined {
  try {
    return readFileSync(reference.slice('file:'.length), 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new DomainError(
      'not_configured',
      `the secret ${reference} cannot be read (${code})`,
      { reference },
      { cause: error },
    )
  }
}
