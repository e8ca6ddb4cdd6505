import type { JsonObject } from '../json.ts'
import { visibleJson } from '../visible-text.ts'

const PLAIN = /^[\w.,:/=@%+-]+$/

/** The command that starts a run as a form would. Every value is one argument, whatever stands in it, and none of it is invisible. */
export function startCommand(start: {
  pack: string
  template: string
  inputs: JsonObject
  environment: string
  profile?: string | undefined
}): string {
  const inputs = Object.entries(start.inputs).flatMap(([name, value]) => ['-i', `${name}=${valueText(value)}`])
  const profile = start.profile === undefined ? [] : ['--profile', start.profile]
  const words = ['svc', 'run', `${start.pack}/${start.template}`, ...inputs, '--environment', start.environment, ...profile]
  return words.map(quoted).join(' ')
}

/** As `-i` reads it back: JSON where it would be taken for JSON, or would have invisible characters, else the text itself. */
function valueText(value: unknown): string {
  const json = visibleJson(value)
  return typeof value === 'string' && JSON.stringify(value) === json && !/[\n\t]/.test(value) && !isJson(value) ? value : json
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** One word of a POSIX shell. */
function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
