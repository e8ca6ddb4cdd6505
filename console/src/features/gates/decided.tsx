import { useQuery } from '@tanstack/react-query'
import { answeredBy } from '../../../../client/gate-text.ts'
import { Time } from '../../components/facts.tsx'
import { Failed } from '../../components/states.tsx'
import { STRINGS } from '../../strings.ts'
import { runQuery } from '../runs/api.ts'

const words = STRINGS.gates.decided

/** The outcome of a gate, and who decided it. */
export function Decided({ run_id, gate_id }: { run_id: string; gate_id: string }) {
  const { data, error, refetch } = useQuery({
    ...runQuery(run_id),
    queryKey: ['run', run_id, 'gate', gate_id],
    staleTime: 0,
  })
  if (error !== null) return <Failed error={error} again={() => void refetch()} />
  const gate = data?.gates.find((each) => each.gate_id === gate_id)
  if (data === undefined || gate === undefined) return <p className="text-muted-foreground">{words.loading}</p>
  return (
    <div>
      <p>
        {words.status[gate.status]} {gate.resolved_at !== undefined && <Time at={gate.resolved_at} />}
      </p>
      <ul>
        {gate.decisions?.map(({ by, name, via, decision, channel, at, note }) => (
          <li key={`${by} ${at}`} className="break-words">
            <bdi>{words.by(answeredBy({ by, name }), STRINGS.gates.words[decision], channel)}</bdi>, <Time at={at} />
            {via !== undefined && (
              <>
                {' · '}
                <bdi>{STRINGS.gates.details.via(via.name ?? via.id)}</bdi>
              </>
            )}
            {note !== undefined && (
              <p className="pl-4 text-muted-foreground">
                <bdi>{note}</bdi>
              </p>
            )}
          </li>
        ))}
      </ul>
      {data.status_reason !== undefined && (
        <p className="text-muted-foreground">
          {words.reason}: {data.status_reason.replaceAll('_', ' ')}
        </p>
      )}
    </div>
  )
}
