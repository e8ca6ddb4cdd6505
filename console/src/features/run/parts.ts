import { useQuery } from '@tanstack/react-query'
import { useLocation, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ownSearch } from '../../lib/read-search.ts'
import { STRINGS } from '../../strings.ts'
import { sliceQuery } from '../audit/api.ts'
import { artifactsQuery } from './api.ts'
import type { LogEvents } from './use-events.ts'

const PARTS = ['summary', 'context', 'events', 'files', 'record'] as const
type RunPart = (typeof PARTS)[number]

/** Where a heading is that an address names by its anchor. */
const PART_OF: Readonly<Record<string, RunPart>> = {
  trigger: 'context',
  before: 'context',
  runbook: 'context',
  events: 'events',
  files: 'files',
  lineage: 'record',
  record: 'record',
}

/** The part of the page of a run that is open: the one that the address names, else the one with its anchor, else the first. */
export function useRunPart(): RunPart {
  const { part } = useSearch({ from: '/runs/$id', select: ownSearch })
  const hash = useLocation({ select: (place) => place.hash })
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView()
  }, [hash])
  return PARTS.find((each) => each === part) ?? PART_OF[hash] ?? 'summary'
}

/** The parts with how much each holds. */
export function useRunParts(id: string, { events }: LogEvents) {
  const counts: Partial<Record<RunPart, number | undefined>> = {
    events: events.length,
    files: useQuery(artifactsQuery(id)).data?.length,
    record: useQuery(sliceQuery(id)).data?.records.length,
  }
  return PARTS.map((part) => ({ part, name: STRINGS.run.parts[part], count: counts[part] }))
}
