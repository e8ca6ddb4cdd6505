import { isCancel, password } from '@clack/prompts'
import { DomainError } from '#core/errors.ts'
import type { CliDeps } from '../../deps.ts'
import { readSource } from '../../parse-inputs.ts'

export interface SecretFlags {
  secretStdin?: boolean
  secretFile?: string
}

/** The secret from standard input, a file or, where one is needed, the terminal. Never an argument: others see those. */
export async function readSecret(
  deps: Pick<CliDeps, 'interactive' | 'readInput'>,
  { secretStdin, secretFile }: SecretFlags,
  needed: boolean,
): Promise<string | undefined> {
  const from = secretStdin === true ? '-' : secretFile
  if (from === undefined) return needed && deps.interactive ? await askSecret() : undefined
  const secret = (await readSource(from, deps.readInput, 'secret')).replace(/\r?\n$/, '')
  if (secret !== '') return secret
  throw new DomainError('validation_failed', `there is no secret ${from === '-' ? 'on standard input' : `in ${from}`}`)
}

async function askSecret(): Promise<string> {
  const answer = await password({ message: 'Secret', validate: (value) => (value ? undefined : 'there is no secret') })
  if (isCancel(answer)) throw new DomainError('validation_failed', 'no secret was given')
  return answer
}
