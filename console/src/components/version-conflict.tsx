import { DOCUMENTS } from '../strings/documents.ts'
import { Button } from './button.tsx'

const words = DOCUMENTS.conflict

/** A conflict between two versions; the author chooses which one to continue. */
export function VersionConflict({
  theirs,
  mine,
  onSettle,
}: {
  theirs: string
  mine: string
  onSettle: (take: boolean) => void
}) {
  return (
    <section role="alert" aria-label={words.title} className="my-3 rounded border border-destructive bg-muted p-3">
      <h3 className="font-semibold text-destructive">{words.title}</h3>
      <p>{words.said}</p>
      <div className="my-2 grid gap-3 md:grid-cols-2">
        <Text name={words.theirs} text={theirs} />
        <Text name={words.mine} text={mine} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => onSettle(true)}>{words.take}</Button>
        <Button variant="destructive" onClick={() => onSettle(false)}>
          {words.keep}
        </Button>
      </div>
    </section>
  )
}

function Text({ name, text }: { name: string; text: string }) {
  return (
    <figure className="min-w-0">
      <figcaption className="font-medium">{name}</figcaption>
      <pre className="max-h-80 overflow-auto whitespace-pre-wrap break-words rounded border bg-background p-2 text-sm">
        {text}
      </pre>
    </figure>
  )
}
