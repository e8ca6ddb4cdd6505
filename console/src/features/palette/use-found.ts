import { useQuery } from '@tanstack/react-query'
import { ApiError, api, given } from '../../lib/api.ts'
import { useMe } from '../../lib/use-me.ts'
import { useSettled } from '../../lib/use-now.ts'
import { readRun, readRuns } from '../runs/api.ts'
import { type Command, fits, gateCommand, pipelineCommand, runCommand, userCommand } from './commands.ts'

const MIN_LENGTH = 3
/** of each kind */
export const MAX = 6
/** of a list that the API does not search, the newest */
const PAGE = 200
const RUN_ID = /^run_[0-9a-z]{26}$/
const PIPELINE_ID = /^pl_[0-9a-z]{1,26}$/

type Find = (text: string, signal: AbortSignal) => Promise<Command[]>

/** Runs that the text names: the one of that id, else those whose id, template or reason has it. */
const findRuns: Find = async (text, signal) => {
  if (!RUN_ID.test(text)) return (await readRuns({ q: text }, '', signal)).runs.map(runCommand)
  try {
    return [runCommand(await readRun(text, signal))]
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

/** Open gates whose question, target, reason or requester has the text. The id of a run means the run, whose page shows its gate. */
const findGates: Find = async (q, signal) =>
  RUN_ID.test(q)
    ? []
    : given(await api.GET('/approvals', { params: { query: { q, limit: MAX } }, signal })).map(gateCommand)

const findPipelines: Find = async (text, signal) => {
  const query = { limit: PAGE, ...(PIPELINE_ID.test(text) && { id: text }) }
  const found = given(await api.GET('/pipelines', { params: { query }, signal })).map(pipelineCommand)
  return found.filter((each) => query.id !== undefined || fits(each, text))
}

const findPeople: Find = async (text, signal) => {
  const people = given(await api.GET('/admin/users', { params: { query: { limit: PAGE } }, signal }))
  return people.map(userCommand).filter((each) => fits(each, text))
}

/** What the API finds for what is typed, once there is something to look for. People are found by those who may list them. */
export function useFound(typed: string) {
  const me = useMe()
  const text = useSettled(typed.trim())
  const useFind = (kind: string, find: Find, isOffered = true) =>
    useQuery({
      queryKey: ['palette', kind, text],
      enabled: isOffered && text.length >= MIN_LENGTH,
      queryFn: async ({ signal }) => (await find(text, signal)).slice(0, MAX),
    })
  const asked = [
    useFind('gates', findGates),
    useFind('runs', findRuns),
    useFind('pipelines', findPipelines),
    useFind('people', findPeople, me.isAdmin),
  ]
  return {
    found: asked.flatMap(({ data }) => data ?? []),
    isFetching: asked.some(({ isFetching }) => isFetching),
    error: asked.find(({ error }) => error !== null)?.error ?? null,
  }
}
