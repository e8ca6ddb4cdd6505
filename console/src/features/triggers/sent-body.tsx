import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { TRIGGERS } from '../../strings/triggers.ts'
import { type InboxItem, sentQuery } from './api.ts'

const words = TRIGGERS.inbox

/** The content of a delivery, loaded on demand. */
export function SentBody({ item }: { item: InboxItem }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="text-sm" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="text-muted-foreground">{words.body}</summary>
      {isOpen && <Sent item={item} />}
    </details>
  )
}

function Sent({ item }: { item: InboxItem }) {
  const sent = useQuery(sentQuery(item))
  return (
    <Asked query={sent}>
      {(found) => (
        <>
          <Text name={words.headers} value={item.headers} />
          <Text name={words.body} value={found?.body} />
          <p className="break-all text-muted-foreground">
            {words.digest} {item.body_digest}
          </p>
        </>
      )}
    </Asked>
  )
}

function Text({ name, value }: { name: string; value: unknown }) {
  return (
    <figure>
      <figcaption className="font-medium">{name}</figcaption>
      <pre className="max-h-80 overflow-auto whitespace-pre-wrap break-words rounded bg-muted p-2">
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </pre>
    </figure>
  )
}
