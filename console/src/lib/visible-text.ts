import { visibleLine } from './visible-line.ts'

/** The same as `visibleLine` for text of many lines: lines and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(/[^\n\t]+/g, visibleLine)
}
