import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../../client/create-client.ts'
import { Data, Facts, Time } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { Part } from '../../components/part.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { STRINGS } from '../../strings.ts'
import { sliceQuery } from '../audit/api.ts'
import type { Run } from '../runs/api.ts'
import { lineageQuery } from './api.ts'

const words = STRINGS.run.lineage
const USER_ID = /\busr_[0-9a-z]{26}\b/g

/** The origin of a run, its records, and its successors. */
export function RunLineage({ run }: { run: Run }) {
  const { data, error, isPending, refetch } = useQuery(lineageQuery(run))
  const records = useQuery(sliceQuery(run.id)).data?.records ?? []
  const names = new Map(records.flatMap(({ people = [] }) => people.map(({ id, display }) => [id, display])))
  const named = (text: string) => text.replaceAll(USER_ID, (id) => names.get(id) ?? id)
  return (
    <Part id="lineage" title={words.title}>
      {isPending && <Loading />}
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <Facts
          rows={[
            [words.origins, <Related key="origins" runs={data.origins} />],
            [words.led_to, <Related key="led_to" runs={data.led_to} />],
          ]}
        />
      )}
      {data !== undefined && data.story.length > 0 && (
        <section aria-label={words.story} className="mt-3">
          <h3 className="font-semibold">{words.story}</h3>
          <p className="mb-1 text-sm text-muted-foreground">{words.unverified}</p>
          {data.as_approved !== null && (
            <p className={data.as_approved ? 'font-medium text-success' : 'font-medium text-destructive'}>
              {data.as_approved ? words.as_approved : words.not_as_approved}
            </p>
          )}
          <ul>
            {data.story.map(({ title, text }) => (
              <li key={`${title} ${text}`} className="break-words">
                <span className="text-muted-foreground">{title}</span> <bdi>{named(text)}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      <details className="mt-3">
        <summary className="text-muted-foreground">{words.provenance}</summary>
        <Data value={run.provenance} />
      </details>
    </Part>
  )
}

function Related({ runs }: { runs: Schema<'RelatedRun'>[] }) {
  if (runs.length === 0) return words.none
  return (
    <ul>
      {runs.map(({ run_id, template, status, created_at, skill }) => (
        <li key={run_id}>
          <RunLink id={run_id} /> {template} <Status of={status} /> <Time at={created_at} />{' '}
          {skill !== undefined && words.by(skill)}
        </li>
      ))}
    </ul>
  )
}
