import type { Json } from '../json.ts'
import { visibleLine } from '../visible-text.ts'

const MARK = /<secret:[^<>]*>/g

/** What stands in the place of a known secret wherever people or records see it. */
export function secretMark(name: string): string {
  return `<secret:${visibleLine(name).replace(/[<>]/g, '')}>`
}

/** Whether a value is nothing but such a mark: somebody sends back what was shown. */
export function isSecretMark(value: Json): boolean {
  return typeof value === 'string' && value.replace(MARK, '') === '' && value !== ''
}

/** Whether such a mark stands anywhere in a value. */
export function holdsSecretMark(value: unknown): boolean {
  if (typeof value === 'string') return isSecretMark(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsSecretMark)
}
