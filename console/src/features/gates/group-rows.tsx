import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Square, SquareCheck } from 'lucide-react'
import { Fragment } from 'react'
import { evidenceText } from '../../../../client/gate-text.ts'
import { Button } from '../../components/button.tsx'
import { Severity, Status } from '../../components/status.tsx'
import { Since } from '../../components/time.tsx'
import { cn } from '../../lib/cn.ts'
import { timeText } from '../../lib/time.ts'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import { STRINGS } from '../../strings.ts'
import { runsOfGroupQuery, type WaitingGate } from './api.ts'
import { Found, Marks } from './gate-marks.tsx'
import { isOver } from './group-outcome.ts'
import { commonEnds, commonWords, cutAt, isAlike, problemText, stateOf } from './groups.ts'
import { OpenInQueue } from './open-gate.tsx'
import type { OpenGroup } from './use-open-group.ts'
import type { Queue } from './use-queue.ts'

const words = GATE_GROUPS
const { columns } = words
const CELL =
  'px-3 py-2 max-sm:mr-4 max-sm:inline-block max-sm:px-0 max-sm:py-0.5 max-sm:before:text-muted-foreground max-sm:before:content-[attr(data-column)]'
/** characters of a plan hash that tell gates apart */
const SHORT = 'sha256:'.length + 8

interface Props {
  queue: Queue
  rows: readonly WaitingGate[]
  onMessage: (message: string, run?: string) => void
}

/** The gates of a group, as they were shown when it was opened, with what became of each. */
export function GroupRows({ queue, rows, onMessage }: Props) {
  const { group } = queue
  const cut = commonEnds(rows.map(({ summary }) => summary))
  const common = commonWords(rows.map(evidenceText))
  const enabled = group.open?.isSending === false && rows.some((row) => isOver(row, group))
  const { data: statuses } = useQuery({ ...runsOfGroupQuery(rows), enabled })
  return (
    <table aria-label={words.count(rows.length)} className="w-full rounded-lg border text-left text-sm max-sm:block">
      <thead className="bg-muted text-muted-foreground max-sm:hidden">
        <tr>
          {Object.values(columns).map((name) => (
            <th key={name} scope="col" className="px-3 py-2 font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map((row) => (
          <GroupRow
            key={row.run_id}
            queue={queue}
            row={row}
            status={statuses?.get(row.run_id)}
            cut={cut}
            common={common}
            onMessage={onMessage}
          />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps {
  queue: Queue
  row: WaitingGate
  /** of its run */
  status: string | undefined
  cut: { head: number; tail: number }
  /** words of most findings */
  common: ReadonlySet<string>
  onMessage: (message: string, run?: string) => void
}

function GroupRow({ queue, row, status, cut, common, onMessage }: RowProps) {
  const { group } = queue
  const { run_id, summary, plan_hash, opened_at } = row
  const open = queue.open?.gate.run_id === run_id ? queue.open : undefined
  // the names of those who look at it, and the votes, are those of now; the plan is what was shown
  const now = group.listed.find((each) => each.run_id === run_id)
  const isChosen = group.chosen.includes(row)
  const Box = isChosen ? SquareCheck : Square
  return (
    <Fragment>
      <tr
        className={cn(
          'border-t align-top max-sm:relative max-sm:block max-sm:py-2 max-sm:pr-3 max-sm:pl-14',
          queue.current === run_id && 'bg-muted/60 shadow-[inset_3px_0_0_var(--primary)]',
        )}
      >
        <td className="px-1 py-1 max-sm:absolute max-sm:top-1 max-sm:left-1">
          {!isOver(row, group) && (
            <Button
              variant="ghost"
              size="icon"
              role="checkbox"
              aria-checked={isChosen}
              aria-label={(row.needs_confirmation ? words.confirm : words.choose)(summary)}
              disabled={!group.isAnswerable(row) || group.open?.isSending === true}
              onClick={() => group.toggle(run_id)}
            >
              <Box aria-hidden className={cn('size-5', isChosen && 'text-primary')} />
            </Button>
          )}
        </td>
        <td className="px-3 py-2 [overflow-wrap:anywhere] sm:w-1/2 max-sm:block max-sm:px-0 max-sm:py-0.5">
          <Link
            from="/gates"
            to="/gates"
            search={({ gate: _open, ...list }) => ({ ...list, gate: row.gate_id })}
            id={queue.rowId(run_id)}
            aria-expanded={open !== undefined}
            onFocus={() => queue.select(run_id)}
            onClick={(event) => {
              // a click that asks for another tab or window is the browser's
              if (event.ctrlKey || event.metaKey || event.shiftKey) return
              event.preventDefault()
              if (open === undefined) queue.show(now ?? row)
              else queue.close()
            }}
            className="link block w-full scroll-mt-16 touch:min-h-11"
          >
            <Problem row={row} />
            <Differing text={summary} cut={cut} />
          </Link>
          <Evidence row={row} rows={group.open?.rows ?? []} common={common} />
          <Marks gate={now ?? row} />
        </td>
        <td data-column={`${columns.waits}: `} className={CELL}>
          <Since at={opened_at} text={(time) => time} />
        </td>
        <td data-column={`${columns.who}: `} className={cn(CELL, 'sm:min-w-32')}>
          {now?.missing.text}
          {row.requester !== undefined && (
            <bdi className="block text-muted-foreground">{STRINGS.gates.asked_by(row.requester.display)}</bdi>
          )}
        </td>
        <td data-column={`${columns.plan}: `} className={CELL}>
          <code title={plan_hash}>{plan_hash.slice(SHORT - 8, SHORT)}</code>
        </td>
        <td data-column={`${columns.state}: `} className={cn(CELL, 'min-w-36')}>
          <State row={row} group={group} />
          {isOver(row, group) && (
            <span className="mt-1 flex flex-wrap items-center gap-2">
              <Link to="/runs/$id" params={{ id: run_id }} className="link">
                {STRINGS.gates.run}
              </Link>
              {status !== undefined && <Status of={status} />}
            </span>
          )}
        </td>
      </tr>
      {open !== undefined && (
        <tr className="max-sm:block">
          <td colSpan={6} className="border-t bg-card p-4 max-sm:block">
            <OpenInQueue gate={open.gate} queue={queue} onMessage={onMessage} />
          </td>
        </tr>
      )}
    </Fragment>
  )
}

/** How bad it is, and what it is about: before what would be done, which is much the same in every row. */
function Problem({ row }: { row: WaitingGate }) {
  const problem = problemText(row)
  if (problem === undefined) return null
  return (
    <span className="mb-0.5 flex flex-wrap items-center gap-x-2 font-medium">
      {row.alert !== undefined && <Severity of={row.alert.severity} />}
      <bdi className="line-clamp-2 min-w-0">{problem}</bdi>
    </span>
  )
}

interface EvidenceProps {
  row: WaitingGate
  rows: readonly WaitingGate[]
  common: ReadonlySet<string>
}

/** What was found before; the command of a gate where nothing was, and whole where another row of the group looks the same. */
function Evidence({ row, rows, common }: EvidenceProps) {
  const found = evidenceText(row)
  const { command } = row
  const isWhole = isAlike(row, rows)
  return (
    <>
      {found !== '' && <Found text={found} common={common} />}
      {command !== undefined && (isWhole || found === '') && (
        <code
          title={command}
          dir="ltr"
          className={cn('text-xs text-muted-foreground', isWhole ? 'block' : 'line-clamp-2')}
        >
          {command}
        </code>
      )}
    </>
  )
}

function Differing({ text, cut }: { text: string; cut: { head: number; tail: number } }) {
  const [head, differs, tail] = cutAt(text, cut)
  return (
    <bdi>
      {head}
      <b className="text-foreground">{differs}</b>
      {tail}
    </bdi>
  )
}

function State({ row, group }: { row: WaitingGate; group: OpenGroup }) {
  const { state } = words
  const result = group.open?.results.get(row.run_id)
  const now = stateOf(row, group.listed)
  if (result?.kind === 'done') {
    const { resolved, status, approvals } = result.outcome
    return resolved ? <Status of={status} /> : state.counted(approvals.have, approvals.need)
  }
  if (result?.kind === 'sending') return state.sending
  if (result?.kind === 'changed' || now === 'changed') return <span className="text-warning">{state.changed}</span>
  if (result?.kind === 'decided') return <bdi className="text-warning">{state.decided(result.by)}</bdi>
  if (result?.kind === 'refused') {
    const advice = (STRINGS.gates.advice as Readonly<Record<string, string>>)[result.code]
    return (
      <span className="text-destructive">
        {state.refused(result.message)} {advice}
      </span>
    )
  }
  if (now === 'left') return state.left
  if (row.frozen !== undefined) return STRINGS.gates.frozen(row.frozen.name, timeText(row.frozen.until))
  if (!group.isAnswerable(row)) return state.not_yours
  return group.isAnswerable(row, 'approve') ? state.waits : state.reject_only
}
