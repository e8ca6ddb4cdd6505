import type { Query } from '../../../client/create-client.ts'

/** Controls, directions, joiners and fillers: they change what a reader sees without being seen. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu

/** A name for people, as the API writes what approvers see: what would not be seen is shown as its escape, `\u{202e}`. */
export function visibleLine(text: string): string {
  return text.replace(INVISIBLE, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`)
}

/** The same as `visibleLine` for text of many lines: lines and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(/[^\n\t]+/g, visibleLine)
}

/** Returns filters of an address as text. The API checks every value, and reports invalid ones. */
export function textQuery<
  Path extends '/runs' | '/pipelines' | '/approvals' | '/console/api/audit' | '/console/api/remote-jobs',
>(_path: Path, query: { [Name in keyof Query<Path>]?: string | number | undefined }): Query<Path> {
  return query as Query<Path>
}

/** Returns the offset of a line and a column (from 1) in a text; the nearest existing place. */
export function offsetOf(
  text: string,
  { line = 1, column = 1 }: { line?: number | undefined; column?: number | undefined },
): number {
  const lines = text.split('\n')
  const above = lines.slice(0, Math.max(0, Math.min(line, lines.length) - 1))
  const here = lines[above.length] ?? ''
  const start = above.reduce((sum, each) => sum + each.length + 1, 0)
  return start + Math.max(0, Math.min(column - 1, here.length))
}

/** `production`, `live (production)`: the class is said where the name does not say it. */
export const environmentText = (name: string, environmentClass: string): string =>
  name === environmentClass ? name : `${name} (${environmentClass})`
