import { Fragment } from 'react'
import { STRINGS } from '../../strings.ts'
import type { WaitingGate } from './api.ts'
import { wordsOf } from './groups.ts'

const words = STRINGS.gates.remarks

/** How many comments a gate has, and the newest, on one line. */
export function NewestComment({ gate: { comment_count, newest_comment } }: { gate: WaitingGate }) {
  if (newest_comment === undefined) return null
  const { name, text } = newest_comment
  return (
    <span title={text} className="block truncate text-sm font-medium text-warning">
      <bdi>{words.newest(comment_count, name)}</bdi> <bdi>{text}</bdi>
    </span>
  )
}

/** Why a retry asks again, what people say about a gate, and who is looking at it. */
export function Marks({ gate }: { gate: WaitingGate }) {
  return (
    <>
      {gate.retry !== undefined && (
        <span className="block text-sm text-warning [overflow-wrap:anywhere]">{gate.retry.text}</span>
      )}
      <NewestComment gate={gate} />
      {gate.acknowledged.length > 0 && (
        <span className="block text-sm text-warning">
          {words.looks(gate.acknowledged.map(({ name }) => name).join(', '))}
        </span>
      )}
    </>
  )
}

/** What was found, with the words in bold that are not `common`. */
export function Found({ text, common }: { text: string; common: ReadonlySet<string> }) {
  return (
    <bdi title={text} className="line-clamp-2 text-muted-foreground [overflow-wrap:anywhere]">
      {wordsOf(text).map((word, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name, and never change places
        <Fragment key={place}>{common.has(word) ? word : <b className="text-foreground">{word}</b>}</Fragment>
      ))}
    </bdi>
  )
}
