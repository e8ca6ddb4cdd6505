import { isCancel, password } from '@clack/prompts'
import { DomainError } from '#core/errors.ts'
import type { CliDeps } from './deps.ts'

/** The password from standard input or from the terminal, where `twice` guards against a slip. Never an argument: others see those. */
export async function askPassword(
  deps: Pick<CliDeps, 'interactive' | 'readInput'>,
  options: { stdin: boolean; twice?: boolean; min?: number },
): Promise<string> {
  const { min = 1 } = options
  const short = (value: string | undefined) =>
    (value ?? '').length < min ? `a password has at least ${min} characters` : undefined
  const given = options.stdin ? (await deps.readInput()).replace(/\r?\n$/, '') : await ask(deps, 'Password', short)
  const problem = short(given)
  if (problem !== undefined) throw new DomainError('validation_failed', problem)
  if (options.stdin || !options.twice) return given
  await ask(deps, 'Repeat password', (value) => (value === given ? undefined : 'the two differ'))
  return given
}

async function ask(
  { interactive }: Pick<CliDeps, 'interactive'>,
  message: string,
  validate: (value: string | undefined) => string | undefined,
): Promise<string> {
  if (!interactive)
    throw new DomainError('validation_failed', 'there is no terminal to ask for the password: use --password-stdin')
  const answer = await password({ message, validate })
  if (isCancel(answer)) throw new DomainError('validation_failed', 'no password was given')
  return answer
}
