import type { Schema } from '#client/create-client.ts'
import type { SliceVerdict } from '../../lib/verify-slice.ts'
import { STRINGS } from '../../strings.ts'

const words = STRINGS.slice
const MAX_NAMED = 20

interface Props {
  count: number
  /** null where the browser does not compute hashes */
  verdict: SliceVerdict | null
  checkpoint: Schema<'AuditCheckpoint'> | undefined
}

/** This browser's verification of a part of the chain, with what it proves and what it cannot. */
export function Verdict({ count, verdict, checkpoint }: Props) {
  if (verdict === null)
    return (
      <p role="status" className="font-medium text-warning">
        {words.unable}
      </p>
    )
  const { faults, stretches, links, between } = verdict
  const sound = faults.length === 0
  const part = stretches.map(({ from, to }) => (from === to ? `${from}` : `${from} – ${to}`)).join(', ')
  const end = checkpoint === undefined ? '…' : `${checkpoint.seq} (${checkpoint.hash})`
  return (
    <div className="mb-3 max-w-4xl space-y-1">
      <p role={sound ? 'status' : 'alert'} className={`font-semibold ${sound ? 'text-success' : 'text-destructive'}`}>
        {sound ? words.verified : words.broken}
      </p>
      <ul>
        {faults.slice(0, MAX_NAMED).map(({ seq, fault }) => (
          <li key={`${seq} ${fault}`} className="font-medium text-destructive">
            {words.bad(seq, words.reasons[fault])}
          </li>
        ))}
      </ul>
      {sound && (
        <p>
          {words.records(count)} {links.possible > 0 && words.links(links.held, links.possible)}{' '}
          {between > 0 && words.gaps(between)}
        </p>
      )}
      {sound && <p className="break-all">{words.part(part, end)}</p>}
      <p className="text-muted-foreground">{words.limits}</p>
    </div>
  )
}
