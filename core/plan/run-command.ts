import type { JsonObject } from '../json/json.ts'
import { inputText, isPlain } from './input-pair.ts'

/** A start, as a command writes it. */
export interface CommandedStart {
  pack: string
  template: string
  inputs: JsonObject
  /** secret inputs that the caller gives again: each comes from a shell variable */
  secrets?: readonly string[]
  environment?: string | null | undefined
  profile?: string | null | undefined
  config_preset?: string | null | undefined
  workspace?: string | null | undefined
  /** undefined where inputs have still to be given */
  plan_hash?: string | undefined
}

/** Words that mean the same in every shell without quotes. */
const BARE = /^[A-Za-z0-9_.,:/@+][A-Za-z0-9_.,:/@+=-]*$/
const BARE_NAME = /^[A-Za-z][A-Za-z0-9_.-]*$/

/**
 * The command that runs exactly this: one line that can be copied into a POSIX shell. Undefined where an input has no form as
 * `key=value`; such a plan is run from a file.
 */
export function runCommand(start: CommandedStart): string | undefined {
  const { pack, template, inputs, secrets = [] } = start
  const given = Object.entries(inputs)
    .sort(byName)
    .map(([name, value]) => {
      const text = inputText(value)
      const isNamed = name !== '' && !name.includes('=') && isPlain(name)
      return text === undefined || !isNamed ? undefined : inQuotes(`${name}=${text}`)
    })
  const hidden = secrets.map((name) => (BARE_NAME.test(name) ? `"${name}=\${${variableOf(name)}:?}"` : undefined))
  const places = (['environment', 'profile', 'config_preset', 'workspace', 'plan_hash'] as const).flatMap((name) => {
    const value = start[name]
    return value == null ? [] : [`--${name.replace('_', '-')}`, quoted(value)]
  })
  const words = [
    ...['svc', 'run', quoted(`${pack}/${template}`)],
    ...[...given, ...hidden].flatMap((word) => ['-i', word]),
    ...places,
  ]
  return words.some((word) => word === undefined) ? undefined : words.join(' ')
}

/** Sorts by name, so that the command does not depend on the order of inputs. */
function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

/** Undefined where a word cannot be put in single quotes unchanged. */
function quoted(word: string): string | undefined {
  return isPlain(word) ? inQuotes(word) : undefined
}

function inQuotes(word: string): string {
  return BARE.test(word) ? word : `'${word}'`
}

function variableOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
}
