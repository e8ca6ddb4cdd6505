import { Link } from '@tanstack/react-router'
import { Card } from '../../components/card.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { CONNECTIONS } from '../../strings/connections.ts'
import type { Connection } from './api.ts'

const words = CONNECTIONS.bind

/** The lines by which an environment refers to a connection. */
export function BindPart({ connection: { name, kind }, mayWrite }: { connection: Connection; mayWrite: boolean }) {
  const lines = `connections:\n  ${name}: { kind: ${kind}, url: "connection:${name}" }\n`
  return (
    <Card aria-label={words.title}>
      <h4 className="font-semibold">{words.title}</h4>
      <p className="mb-2 text-sm text-muted-foreground">{mayWrite ? words.said : words.said_to_readers}</p>
      <div className="whitespace-pre-wrap rounded bg-muted p-2">
        <Copyable text={lines} />
      </div>
      <p className="mt-2">
        <Link to="/triggers" search={{ part: 'environments' }} className="link">
          {words.open}
        </Link>
      </p>
    </Card>
  )
}
