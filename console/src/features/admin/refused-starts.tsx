import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Part } from '../../components/part.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Ago } from '../../components/time.tsx'
import { ADMIN } from '../../strings/admin.ts'
import { type RefusedStart, refusedQuery, startRefused } from './api.ts'

const words = ADMIN.halts.refused

interface Props {
  halt: string
  title: string
  /** the halt is lifted, and this person may start runs */
  mayStart: boolean
}

/** What a halt kept from starting; once it is lifted, each can be started. */
export function RefusedStarts({ halt, title, mayStart }: Props) {
  const { data: refused = [] } = useQuery(refusedQuery(halt))
  const { columns } = words
  if (refused.length === 0) return null
  return (
    <Part id={`refused-${halt}`} title={title}>
      <PlainTable
        label={title}
        columns={[
          columns.what,
          columns.template,
          columns.environment,
          columns.by,
          columns.count,
          columns.last,
          columns.start,
        ]}
        rows={refused.map((each) => ({
          key: each.id,
          cells: [
            <bdi key="what">{each.title}</bdi>,
            each.template,
            each.environment,
            <bdi key="by">{each.requested_by}</bdi>,
            each.refused,
            <Ago key="last" at={each.last_at} />,
            <Start key="start" halt={halt} refused={each} mayStart={mayStart} />,
          ],
        }))}
      />
    </Part>
  )
}

function Start({ halt, refused, mayStart }: { halt: string; refused: RefusedStart; mayStart: boolean }) {
  const client = useQueryClient()
  const { start, run_id, workspace_id } = refused
  const attempt = useMutation({
    mutationFn: (known: NonNullable<RefusedStart['start']>) => startRefused(refused, known),
    onSettled: () => client.invalidateQueries({ queryKey: ['halts', halt, 'refused'] }),
  })
  if (run_id !== undefined)
    return (
      <Link to="/runs/$id" params={{ id: run_id }} search={{ workspace: workspace_id }} className="link">
        {words.run}
      </Link>
    )
  if (start === undefined) return words.by_hand
  if (!mayStart) return null
  return (
    <>
      <Button size="sm" disabled={attempt.isPending} onClick={() => attempt.mutate(start)}>
        {words.start}
      </Button>
      <Refusal error={attempt.error} />
    </>
  )
}
