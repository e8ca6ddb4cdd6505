import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answeredBy } from '../../../../client/gate-text.ts'
import { Data } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { Failed } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { visibleText } from '../../lib/text.ts'
import { STRINGS } from '../../strings.ts'
import { contextQuery, type RunContext } from './api.ts'

const words = STRINGS.run.context

/** How similar runs ended. */
export function SimilarRuns({ run_id }: { run_id: string }) {
  const { data, error, refetch } = useQuery(contextQuery(run_id))
  if (error !== null) return <Failed error={error} again={() => void refetch()} />
  if (data?.similar.length === 0) return <p className="text-muted-foreground">{words.none}</p>
  return (
    <ul className="space-y-2">
      {data?.similar.map(({ run_id: id, status, like, ended_at, environment, error: why, decided }) => (
        <li key={id} className="break-words">
          <Status of={status} /> <Ago at={ended_at} /> · {words.like[like]} · {environment} · <RunLink id={id} />
          {decided.map(({ by, name, decision, at, note }) => (
            <span key={`${by} ${at}`} className="block text-sm text-muted-foreground">
              <bdi>{words.decided[decision](answeredBy({ by, name }))}</bdi>
              {note !== undefined && (
                <>
                  : <bdi>{note}</bdi>
                </>
              )}
            </span>
          ))}
          {why !== undefined && <bdi className="block text-sm text-destructive">{why}</bdi>}
        </li>
      ))}
    </ul>
  )
}

/** That the last run of the same alert failed, and why. */
export function LastFailure({ run_id }: { run_id: string }) {
  const { data } = useQuery(contextQuery(run_id))
  const last = data?.similar.find(({ like }) => like === 'alert')
  if (last?.status !== 'failed') return null
  return (
    <p className="mt-2 wrap-anywhere text-warning">
      {words.last_failed} <Ago at={last.ended_at} />
      {last.error !== undefined && (
        <>
          : <bdi>{last.error}</bdi>
        </>
      )}{' '}
      <Link to="/runs/$id" params={{ id: last.run_id }} className="link">
        {words.last_run}
      </Link>
    </p>
  )
}

/** The passage of a runbook as a quotation: what its writers say, and not the product. */
export function Runbook({ run_id }: { run_id: string }) {
  const { data } = useQuery(contextQuery(run_id))
  if (data?.runbook === undefined) return <p className="text-muted-foreground">{words.no_passage}</p>
  return <Quotation runbook={data.runbook} />
}

function Quotation({ runbook: { why, passage } }: { runbook: NonNullable<RunContext['runbook']> }) {
  const { corpus_id: id, corpus, path, digest, from_line, to_line, heading, text } = passage
  return (
    <figure>
      <blockquote className="border-l-4 pl-3">
        <Data value={visibleText(text.trimEnd())} />
      </blockquote>
      <figcaption className="mt-1 break-words text-sm text-muted-foreground">
        {words.quoted}{' '}
        <Link to="/knowledge/$id" params={{ id }} search={{ path, digest, line: String(from_line) }} className="link">
          {words.place(corpus, path, from_line, to_line)}
        </Link>
        {heading !== undefined && <bdi> {visibleText(heading)}</bdi>} · {words.why[why]}
      </figcaption>
    </figure>
  )
}
