import { Fragment } from 'react'

/** A sentence of a pack; what it has between backticks is code. */
export function Prose({ text = '' }: { text?: string | undefined }) {
  return text.split('`').map((part, place) =>
    place % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text stay in their places
      <Fragment key={place}>{part}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text stay in their places
      <code key={place} className="rounded bg-muted px-1 text-[0.9em]">
        {part}
      </code>
    ),
  )
}
