import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failed, Loading } from '../../components/states.tsx'
import { durationText } from '../../lib/time.ts'
import { usePhone } from '../../lib/use-media.ts'
import { STRINGS } from '../../strings.ts'
import { type PendingApproval, readEvidence } from './api.ts'
import { Block, Fold, LongText } from './block.tsx'

const words = STRINGS.gates.details
type Evidence = PendingApproval['evidence'][number]

/** The findings of earlier steps; on a phone those after the first are folded. */
export function EvidenceList({ evidence }: { evidence: Evidence[] }) {
  const isPhone = usePhone()
  const [first, ...more] = evidence
  if (first === undefined) return <p className="text-muted-foreground">{words.no_evidence}</p>
  if (!isPhone || more.length === 0) return <Findings all={evidence} />
  return (
    <>
      <Findings all={[first]} />
      <Fold summary={words.more_evidence(more.length)}>
        <Findings all={more} />
      </Fold>
    </>
  )
}

function Findings({ all }: { all: Evidence[] }) {
  return (
    <ul className="space-y-3">
      {all.map((each) => (
        <li key={each.ref + each.digest}>
          <p>
            <bdi className="font-medium">{each.title}</bdi>{' '}
            <span className="text-sm text-muted-foreground">{words.age(durationText(each.age_s * 1_000))}</span>
          </p>
          {each.excerpt !== undefined && (
            <LongText text={each.excerpt}>
              <Block text={each.excerpt} />
            </LongText>
          )}
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
