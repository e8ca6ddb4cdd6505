import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../lib/api.ts'
import { useSettled } from '../../lib/use-settled.ts'
import { readRun, readRuns } from '../runs/api.ts'

const FEWEST = 3
const MOST = 6
const RUN_ID = /^run_[0-9a-z]{26}$/

/** Runs that what is typed names: the one of that id, else those whose id or template has it. */
export function useFoundRuns(typed: string) {
  const text = useSettled(typed.trim())
  return useQuery({
    queryKey: ['palette-runs', text],
    enabled: text.length >= FEWEST,
    queryFn: async ({ signal }) => {
      if (!RUN_ID.test(text)) return (await readRuns({ q: text }, '', signal)).runs.slice(0, MOST)
      try {
        return [await readRun(text, signal)]
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return []
        throw error
      }
    },
  })
}
