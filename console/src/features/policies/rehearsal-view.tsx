import { Link } from '@tanstack/react-router'
import { PlainTable } from '../../components/plain-table.tsx'
import { POLICIES } from '../../strings/policies.ts'
import type { Rehearsal } from './api.ts'
import { Outcome } from './outcome.tsx'

const words = POLICIES.rehearsal

/** The effect of a text on recorded runs; loosened ones come first, in red. */
export function RehearsalView({ rehearsal }: { rehearsal: Rehearsal }) {
  const { runs, changes, sound, loosens } = rehearsal
  const { columns } = words
  if (!sound) return <p className="text-muted-foreground">{words.unsound}</p>
  return (
    <>
      <p>{words.summary(runs.judged, runs.changed)}</p>
      {runs.cut && <p className="text-muted-foreground">{words.cut}</p>}
      {runs.looser > 0 && <p className="font-medium text-destructive">{words.looser(runs.looser)}</p>}
      {loosens && <p className="font-medium text-destructive">{words.loosens}</p>}
      {runs.looser === 0 && !loosens && <p className="text-success">{words.stricter}</p>}
      {changes.length > 0 && (
        <PlainTable
          label={words.title}
          columns={[columns.change, columns.template, columns.step, columns.before, columns.after, columns.runs]}
          rows={changes.map((change) => ({
            key: [change.template, change.environment, change.profile, change.step, change.newest_run_id].join(':'),
            cells: [
              change.looser ? (
                <strong key="looser" className="text-destructive">
                  {words.is_looser}
                </strong>
              ) : (
                words.is_stricter
              ),
              <span key="template">
                {change.template} <span className="block text-sm text-muted-foreground">{change.environment}</span>
              </span>,
              change.step,
              <Demand key="before" demand={change.before} because={[]} />,
              <Demand key="after" demand={change.after} because={change.because} />,
              <span key="runs">
                {change.runs}{' '}
                <Link to="/runs/$id" params={{ id: change.newest_run_id }} className="text-sm link">
                  {words.newest}
                </Link>
              </span>,
            ],
          }))}
        />
      )}
    </>
  )
}

function Demand({ demand, because }: { demand: Rehearsal['changes'][number]['before']; because: string[] }) {
  const { outcome, approval_roles, dry_run, require_note, min_approvals } = demand
  const more = [
    ...(dry_run && outcome !== 'dry_run' ? [words.dry_run] : []),
    ...(min_approvals === undefined ? [] : [POLICIES.approvals(min_approvals)]),
    ...(require_note === undefined ? [] : [POLICIES.note(require_note)]),
  ]
  return <Outcome outcome={outcome} because={[...more, ...because]} roles={approval_roles} />
}
