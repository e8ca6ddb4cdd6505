import { useQuery } from '@tanstack/react-query'
import type { Filter } from '../../components/filter-bar.tsx'
import { grantedEnvironmentsQuery } from './api.ts'

/**
 * Filters whose environment is a list of those of the workspace. One that is set already stays in the list: runs of before may be in an
 * environment that is gone.
 */
export function useEnvironmentChoices<Name extends string>(
  filters: readonly Filter<Name>[],
  chosen: string | undefined,
): readonly Filter<Name>[] {
  const { data } = useQuery(grantedEnvironmentsQuery)
  if (data === undefined) return filters
  const all = [...new Set([...data.map(({ name }) => name), ...(chosen === undefined ? [] : [chosen])])]
  const choices = { choices: all, names: Object.fromEntries(all.map((name) => [name, name])) }
  return filters.map((filter) => (filter.name === 'environment' ? { ...filter, ...choices } : filter))
}
