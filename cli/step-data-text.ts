import type { Schema } from '#client/create-client.ts'

/** Data of a step as text: whole, else its beginning. */
export function stepDataText({ value, excerpt, cut, bytes }: Schema<'StepData'>): string {
  return cut === true ? `${excerpt ?? ''}… (${bytes} bytes)` : JSON.stringify(value)
}
