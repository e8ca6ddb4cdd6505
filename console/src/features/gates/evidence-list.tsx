import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failed, Loading } from '../../components/states.tsx'
import { durationText } from '../../lib/duration.ts'
import { STRINGS } from '../../strings.ts'
import { type PendingApproval, readEvidence } from './api.ts'
import { Block } from './block.tsx'

const words = STRINGS.gates.details
type Evidence = PendingApproval['evidence'][number]

/** The findings of earlier steps. */
export function EvidenceList({ evidence }: { evidence: Evidence[] }) {
  if (evidence.length === 0) return <p className="text-muted-foreground">{words.no_evidence}</p>
  return (
    <ul className="space-y-3">
      {evidence.map((each) => (
        <li key={each.ref + each.digest}>
          <p>
            <bdi className="font-medium">{each.title}</bdi>{' '}
            <span className="text-sm text-muted-foreground">{words.age(durationText(each.age_s * 1_000))}</span>
          </p>
          {each.excerpt !== undefined && <Block text={each.excerpt} />}
          {each.cut === true && <p className="text-sm text-muted-foreground">{words.cut}</p>}
          <Whole of={each.ref} />
        </li>
      ))}
    </ul>
  )
}

function Whole({ of }: { of: string }) {
  const [wanted, setWanted] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['evidence', of],
    queryFn: () => readEvidence(of),
    enabled: wanted,
  })
  return (
    <details onToggle={({ currentTarget }) => setWanted(currentTarget.open)}>
      <summary className="text-sm text-primary">{words.read}</summary>
      {wanted && data === undefined && error === null && <Loading />}
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {data !== undefined && <Block text={JSON.stringify(data.outputs ?? {}, null, 2)} />}
    </details>
  )
}
