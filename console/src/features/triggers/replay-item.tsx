import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { TRIGGERS } from '../../strings/triggers.ts'
import { type InboxItem, replay } from './api.ts'

const words = TRIGGERS.inbox

/** Simulates a delivery, or processes it again. */
export function ReplayItem({ item }: { item: InboxItem }) {
  const client = useQueryClient()
  const again = useMutation({
    mutationFn: (mode: 'simulate' | 'force') => replay(item.id, mode),
    onSuccess: (_answer, mode) => mode === 'force' && client.invalidateQueries({ queryKey: ['inbox'] }),
  })
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap gap-2">
        <Button disabled={again.isPending} onClick={() => again.mutate('simulate')}>
          {words.predict}
        </Button>
        <Confirm
          ask={words.replay}
          question={words.replay_sure}
          yes={words.yes}
          no={words.no}
          busy={again.isPending}
          onYes={() => again.mutate('force')}
        />
      </div>
      <Refusal error={again.error} />
      {again.data?.map(({ id, outcome, run_id, error, would }) => (
        <div key={id} role="status" className="text-sm">
          <p>{words.outcome(outcome)}</p>
          {error !== undefined && <p className="text-destructive">{error.message}</p>}
          {run_id !== undefined && (
            <Link to="/runs/$id" params={{ id: run_id }} className="break-all font-mono link">
              {run_id}
            </Link>
          )}
          {outcome === 'simulated' && <Would would={would ?? []} />}
        </div>
      ))}
    </div>
  )
}

function Would({ would }: { would: readonly Record<string, unknown>[] }) {
  if (would.length === 0) return <p>{words.nothing}</p>
  return (
    <pre className="max-h-60 overflow-auto whitespace-pre-wrap break-words rounded bg-muted p-2">
      {JSON.stringify(would, null, 2)}
    </pre>
  )
}
