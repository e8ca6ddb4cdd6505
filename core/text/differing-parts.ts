import { cutText } from './text.ts'

/** shown before the first difference */
const CONTEXT_CHARS = 40

/** Two texts from shortly before their first difference, at most `most` characters of each; `…` stands for what is left out. */
export function differingParts(one: string, other: string, most: number): [string, string] {
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  const from = Math.max(0, same - CONTEXT_CHARS)
  const part = (text: string) =>
    `${from > 0 ? '…' : ''}${cutText(text.slice(from), most)}${text.length > from + most ? '…' : ''}`
  return [part(one), part(other)]
}
