import { useMemo, useState } from 'react'
import { eventText } from '../../../../client/event-text.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Data, Time } from '../../components/facts.tsx'
import { Part } from '../../components/part.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, VirtualTable } from '../../components/virtual-table.tsx'
import type { LogEvent } from '../../lib/follow-events.ts'
import { STRINGS } from '../../strings.ts'
import type { LogEvents } from './use-events.ts'

const words = STRINGS.run
const LONGEST = 400

/** The events of a run or a pipeline as they come, however many there are. */
export function EventsPart({ log: { events, state }, folds = false }: { log: LogEvents; folds?: boolean }) {
  const [type, setType] = useState('')
  const [open, setOpen] = useState<LogEvent>()
  const types = useMemo(() => [...new Set(events.map((event) => event.type))].sort(), [events])
  const shown = useMemo(() => (type === '' ? events : events.filter((event) => event.type === type)), [events, type])
  const columns = useMemo(() => columnsFor(setOpen), [])
  return (
    <Part
      folds={folds}
      id="events"
      title={words.events}
      className="print:hidden"
      aside={
        <>
          <span className="text-sm text-muted-foreground">{words.event_count(shown.length, events.length)}</span>
          <span role="status" className="text-sm text-muted-foreground">
            {words[state]}
          </span>
          <label className="text-sm text-muted-foreground">
            {words.event_type}{' '}
            <select
              value={type}
              onChange={({ target }) => setType(target.value)}
              className="h-8 rounded-md border border-input bg-background px-2 text-foreground"
            >
              <option value="">{words.all_types}</option>
              {types.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        </>
      }
    >
      {events.length === 0 ? (
        <Empty>{words.no_events}</Empty>
      ) : (
        <VirtualTable
          label={words.events_of}
          columns={columns}
          items={shown}
          keyOf={({ seq }) => seq}
          follow={state !== 'ended'}
        />
      )}
      {open !== undefined && <OpenEvent event={open} onClose={() => setOpen(undefined)} />}
    </Part>
  )
}

function columnsFor(onOpen: (event: LogEvent) => void): Column<LogEvent>[] {
  const { columns } = words
  return [
    { name: columns.seq, className: 'w-16 text-muted-foreground max-sm:hidden', cell: ({ seq }) => seq },
    {
      name: columns.type,
      className: 'w-36 sm:w-48',
      wraps: true,
      cell: (event) => (
        <button
          type="button"
          aria-label={words.open_event(event.seq, event.type)}
          onClick={() => onOpen(event)}
          className="max-w-full break-words text-left font-medium link max-sm:min-h-11"
        >
          {event.type}
        </button>
      ),
    },
    { name: columns.step, className: 'w-36 max-sm:hidden', wraps: true, cell: ({ step }) => step },
    { name: columns.time, className: 'w-44 text-muted-foreground max-sm:hidden', cell: ({ ts }) => <Time at={ts} /> },
    {
      name: columns.says,
      className: 'text-muted-foreground',
      wraps: true,
      cell: (event) => beginning(eventText(event)),
    },
  ]
}

const beginning = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

function OpenEvent({ event, onClose }: { event: LogEvent; onClose: () => void }) {
  return (
    <section aria-label={words.event} className="mt-2 rounded-lg border bg-card p-4">
      <p className="mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <b>
          {event.seq} {event.type}
        </b>
        <span>{event.step}</span>
        <Time at={event.ts} />
        <Copyable text={event.id} />
        <Button onClick={onClose} size="sm" className="ml-auto">
          {words.close}
        </Button>
      </p>
      <Data value={event.data} />
    </section>
  )
}
